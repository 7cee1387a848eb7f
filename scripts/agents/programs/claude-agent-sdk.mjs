import { query } from '@anthropic-ai/claude-agent-sdk'

const options = {
  permissionMode: 'bypassPermissions',
  pathToClaudeCodeExecutable: 'node_modules/@anthropic-ai/claude-code/cli.js',
  executable: process.execPath,
}
for await (const message of query({ prompt: 'Read notes.txt. What is the answer?', options }))
  console.log(message.type, message.result ?? '')
