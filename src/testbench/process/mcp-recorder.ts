/**
 * Follows a subprocess that is an MCP server, while it is recorded. It is one if the first line that it is
 * sent is a greeting of MCP; neither its program nor the client's library matters. Output that is no message
 * stays bytes.
 */
import { basename } from 'node:path'
import { Conversation } from '../mcp/conversation.ts'
import { greets, messagesOf } from '../mcp/json-rpc.ts'
import { LineStream } from '../mcp/line-stream.ts'
import type { RecordFollower, RecordFollowing } from './stdio-follower.ts'

export function followMcpServer({ id, child, recorder, scrubber }: RecordFollowing): RecordFollower {
  const sentLines = new LineStream()
  const receivedLines = new LineStream()
  let conversation: Conversation | null | undefined
  let n = 0
  let nowMs = 0

  return {
    sent(bytes, atMs) {
      nowMs = atMs
      if (conversation === null) return
      for (const { data } of sentLines.push(bytes)) {
        if (conversation === undefined)
          conversation = greets(data) ? new Conversation(recorder, scrubber, serverName(child)) : null
        if (conversation === null) return
        for (const message of messagesOf(data) ?? []) {
          conversation.sent(message, id, n, atMs)
          n += 1
        }
      }
    },
    received(bytes, atMs) {
      nowMs = atMs
      // Output before the greeting is no message, nor is a line that it began by then.
      if (conversation === null || conversation === undefined) return
      for (const { data } of receivedLines.push(bytes))
        for (const message of messagesOf(data) ?? []) conversation.received(message, id, atMs)
    },
    ended() {
      conversation?.lost('the server ended', nowMs)
    },
  }
}

/**
 * The name of a server until it has sent its own: the script that an interpreter or a runner runs, or else
 * the program.
 */
function serverName({
  program,
  args,
}: {
  readonly program: string
  readonly args: readonly string[]
}): string {
  const own = basename(program)
  if (!RUNNERS.test(own)) return own
  const script = args.find((argument) => !argument.startsWith('-'))
  return script === undefined ? own : basename(script)
}

const RUNNERS =
  /^(?:node|nodejs|npx|npm|pnpm|bunx?|deno|tsx|uvx?|python\d*(?:\.\d+)?|sh|bash|docker)(?:\.exe|\.cmd)?$/
