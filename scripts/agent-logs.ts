/**
 * Makes real logs of Claude Code and Codex, to see what a new version writes: `npx tsx scripts/agent-logs.ts
 * FOLDER [claude-version] [codex-version]`.
 *
 * Installs both into FOLDER (the only step that needs the network), then runs them offline against aimock on
 * loopback, each with a HOME of its own and every proxy pointing nowhere: tool calls, failing tools, a
 * refused permission, a sub agent, an API error, resumed sessions, a compaction. The fixtures in
 * test/fixtures/journal/logs are such logs, with long texts cut and paths changed.
 */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { LLMock } from '@copilotkit/aimock'

type Answer = {
  content?: string
  toolCalls?: { name: string; arguments: string }[]
  usage?: object
  error?: object
  status?: number
}
type Scenario = {
  readonly agent: 'claude' | 'codex'
  readonly words: (session: string) => readonly string[]
  readonly answers: readonly Answer[]
  readonly config?: string
}

const [folder = '', claudeVersion = '2.1.197', codexVersion = '0.166.0'] = process.argv.slice(2)
if (folder === '') throw new Error('name a folder for the agents, their homes and their logs')
const root = resolve(folder)

const call = (name: string, input: object): { name: string; arguments: string } => ({
  name,
  arguments: JSON.stringify(input),
})
const usage = { input_tokens: 120, output_tokens: 30, total_tokens: 150 }
const refusal: Answer = { error: { message: 'refused', type: 'invalid_request_error' }, status: 400 }
const free = '--dangerously-skip-permissions'
const codexFree = ['exec', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox']

const scenarios: readonly Scenario[] = [
  {
    agent: 'claude',
    words: () => ['-p', 'Look around', free],
    answers: [
      { toolCalls: [call('Bash', { command: 'echo hi', description: 'greet' })], usage },
      {
        content: 'I see nothing.',
        toolCalls: [
          call('Read', { file_path: '/nonexistent/a.txt' }),
          call('Bash', { command: 'exit 3', description: 'fail' }),
        ],
      },
      { content: 'All done.' },
    ],
  },
  {
    agent: 'claude',
    words: (session) => ['-p', 'Now write a file', '-r', session],
    answers: [
      {
        content: 'Trying.',
        toolCalls: [call('Write', { file_path: join(root, 'project/b.txt'), content: 'hello' })],
      },
      { content: 'Not allowed then.' },
    ],
  },
  {
    agent: 'claude',
    words: (session) => ['-p', 'Use a sub agent', '-r', session, free],
    answers: [
      {
        toolCalls: [
          call('Agent', {
            description: 'look',
            prompt: 'Look for the login test',
            subagent_type: 'general-purpose',
          }),
        ],
      },
      { content: 'Nothing found.' },
      { content: 'The sub agent is done.' },
    ],
  },
  { agent: 'claude', words: (session) => ['-p', 'This fails', '-r', session], answers: [refusal] },
  {
    agent: 'claude',
    words: (session) => ['-p', '/compact', '-r', session],
    answers: [{ content: '<summary>We looked around.</summary>' }],
  },
  {
    agent: 'codex',
    words: () => [...codexFree, 'Look around'],
    answers: [
      { toolCalls: [call('shell', { command: ['ls'] })] },
      { content: 'More.', toolCalls: [call('exec_command', { cmd: 'exit 3' })] },
      { content: 'All done.', usage },
    ],
  },
  {
    agent: 'codex',
    words: () => ['exec', '--skip-git-repo-check', 'resume', '--last', 'This fails'],
    answers: [refusal],
  },
  {
    agent: 'codex',
    words: () => [...codexFree, 'Please compact'],
    config: 'model_auto_compact_token_limit = 1000',
    answers: [
      {
        content: 'One.',
        toolCalls: [call('exec_command', { cmd: 'echo one' })],
        usage: { input_tokens: 50_000, output_tokens: 30, total_tokens: 50_030 },
      },
      { content: 'Summary: we echoed one.' },
    ],
  },
]

install()
for (const scenario of scenarios) await run(scenario)
for (const file of logs()) console.log(file)

function install(): void {
  mkdirSync(join(root, 'project'), { recursive: true })
  writeFileSync(join(root, 'package.json'), '{"private":true}\n')
  const packages = [`@anthropic-ai/claude-code@${claudeVersion}`, `@openai/codex@${codexVersion}`]
  const npm = spawnSync('npm', ['install', '--no-save', ...packages], { cwd: root, stdio: 'inherit' })
  // Claude Code puts its binary in place after the installation, which npm may not have been allowed to do.
  const place = spawnSync(process.execPath, ['install.cjs'], {
    cwd: join(root, 'node_modules/@anthropic-ai/claude-code'),
    stdio: 'inherit',
  })
  if (npm.status !== 0 || place.status !== 0) throw new Error('the agents could not be installed')
}

async function run({ agent, words, answers, config = '' }: Scenario): Promise<void> {
  const mock = new LLMock({ port: 0, host: '127.0.0.1' })
  let step = 0
  mock.addFixture({
    match: { predicate: (request) => (request.tools?.length ?? 0) > 0 && step < answers.length },
    response: () => answers[step++] as never,
  })
  mock.addFixture({ match: { predicate: () => true }, response: { content: 'Done.' } })
  await mock.start()
  const home = join(root, `home-${agent}`)
  mkdirSync(join(home, '.codex'), { recursive: true })
  writeFileSync(join(home, '.codex/config.toml'), codexConfig(mock.url, config))
  const nowhere = {
    HTTP_PROXY: 'http://127.0.0.1:9',
    HTTPS_PROXY: 'http://127.0.0.1:9',
    NO_PROXY: '127.0.0.1,localhost',
  }
  const keys = {
    ANTHROPIC_BASE_URL: mock.url,
    ANTHROPIC_API_KEY: 'mock',
    MOCK_KEY: 'mock',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    IS_SANDBOX: '1',
  }
  const child = spawn(join(root, 'node_modules/.bin', agent), [...words(lastClaudeSession())], {
    cwd: join(root, 'project'),
    env: { PATH: process.env.PATH, HOME: home, ...nowhere, ...keys },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  await once(child, 'exit')
  await mock.stop()
}

function codexConfig(url: string, extra: string): string {
  const provider = `[model_providers.mock]\nname = "mock"\nbase_url = "${url}/v1"\nwire_api = "responses"\nenv_key = "MOCK_KEY"\nrequest_max_retries = 0\nstream_max_retries = 0\n`
  return `model = "gpt-5.1"\nmodel_provider = "mock"\ncheck_for_update_on_startup = false\n${extra}\n${provider}[analytics]\nenabled = false\n`
}

function logs(): string[] {
  return readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) =>
    /^home-.*(projects|sessions)\/.*\.jsonl$/.test(file),
  )
}

function lastClaudeSession(): string {
  const log = logs().find((file) => file.startsWith('home-claude') && !file.includes('subagents'))
  return log?.replace(/^.*\/|\.jsonl$/g, '') ?? ''
}
