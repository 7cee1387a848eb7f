/**
 * A subprocess that is an MCP server of a foreign tape: the tape has its calls, but not the process. It
 * answers the lines that the program sends, exits when its input ends, and ends by the signal that it gets.
 */
import { type Label, label, utf8 } from '../../../base/index.ts'
import type { Outcome } from '../../../boundaries/session.ts'
import { messagesOf, type RpcMessage } from '../../mcp/json-rpc.ts'
import { LineStream } from '../../mcp/line-stream.ts'

export type McpChild = {
  /** What the program has sent; null for the end of the stream. */
  sent(stream: string, bytes: Uint8Array | null): void
}

export type McpChildOptions = {
  readonly stdio: readonly string[]
  readonly asked: (messages: readonly RpcMessage[]) => void
  readonly ended: (outcomes: readonly Outcome[]) => void
}

export function mcpChild({ stdio, asked, ended }: McpChildOptions): McpChild {
  const lines = new LineStream()
  let isOver = false

  const end = (signal: Label | null): void => {
    if (isOver) return
    isOver = true
    const streams = [1, 2].filter((at) => stdio[at] === 'pipe' || stdio[at] === 'copied')
    const ends = streams.map(
      (at): Outcome => ({ type: 'end', trailers: [], stream: label(at === 1 ? 'stdout' : 'stderr') }),
    )
    ended([...ends, { type: 'exit', code: 0, signal }])
  }

  return {
    sent(stream, bytes) {
      if (isOver) return
      if (stream === 'signals' && bytes !== null) end(label(Buffer.from(bytes).toString().trim()))
      if (stream !== 'stdin') return
      if (bytes === null) {
        end(null)
        return
      }
      for (const { data } of lines.push(bytes)) {
        const messages = messagesOf(data)
        if (messages !== null) asked(messages)
      }
    },
  }
}

const STDOUT = label('stdout')

export function lineOutcome(text: string): Outcome {
  return { type: 'chunk', bytes: utf8(`${text}\n`), stream: STDOUT }
}
