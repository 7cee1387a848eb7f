/**
 * What the program sent to each subprocess that is an MCP server, line by line, for a replay: keys, names and
 * subjects, a few bytes per line. Made while the tape is indexed; a subprocess whose first line is no
 * greeting is skipped from then on. A text that is needed later is read from the tape again.
 */
import { contentHash, utf8 } from '../../base/index.ts'
import { type Chunk, type Kind, readTapeEvents } from '../../tape/index.ts'
import { type CallNames, callNames } from './call-ids.ts'
import { greets, messagesOf } from './json-rpc.ts'
import { LineStream } from './line-stream.ts'
import { rpcKey, rpcSubject, type Translation } from './rpc-key.ts'

export type SentLine = {
  readonly key: string
  readonly subject: string
  readonly calls: readonly CallNames[]
}

/** What is known of a recorded server when its replay begins. */
export type RecordedServer = {
  /** All that it was sent. */
  readonly lines: readonly SentLine[]
  /** The text of a line; called only for a divergence. */
  textOf(at: number): string | null
  /** Maps a path of this machine to that of the recording. */
  moved(text: string): string
}

type Part = Kind<'stream_chunk' | 'stream_end'>

/** A line of a client: by its messages, or by its text if it contains none. */
export function sentLine(text: string, translation: Translation = {}): SentLine {
  const messages = messagesOf(text)
  if (messages === null) return { key: hash(`line ${text}`), subject: 'a line that is no message', calls: [] }
  const key = hash(messages.map((message) => rpcKey(message, translation)).join('\n'))
  return { key, subject: messages.map(rpcSubject).join(', '), calls: callNames(messages) }
}

function hash(text: string): string {
  return contentHash(utf8(text)).slice(0, 24)
}

/** Empty lines are ignored. */
export function isBlank(line: string): boolean {
  return line.trim() === ''
}

export class SentMessages {
  readonly #children = new Map<number, { readonly stream: LineStream; readonly lines: SentLine[] } | null>()

  /**
   * Receives every part of a stream. `resolve` is called only for what is sent to a subprocess that may be a
   * server.
   */
  add(part: Part, resolve: (chunk: Chunk) => Uint8Array): void {
    const chunk = sentTo(part)
    const known = this.#children.get(part.of)
    if (chunk === null || known === null) return
    const child = known ?? { stream: new LineStream(), lines: [] }
    this.#children.set(part.of, child)
    for (const { data } of child.stream.push(resolve(chunk))) {
      if (child.lines.length === 0 && !greets(data)) {
        this.#children.set(part.of, null)
        return
      }
      if (!isBlank(data)) child.lines.push(sentLine(data))
    }
  }

  /** Null for a subprocess that is no server. */
  of(child: number): readonly SentLine[] | null {
    const known = this.#children.get(child)
    return known === undefined || known === null || known.lines.length === 0 ? null : known.lines
  }
}

/**
 * The text of the line with this number that was sent to a subprocess. Reads the tape again: for a
 * divergence.
 */
export function sentText(
  path: string,
  child: number,
  wanted: number,
  resolve: (chunk: Chunk) => Uint8Array,
): string | null {
  const stream = new LineStream()
  let at = 0
  for (const event of readTapeEvents(path)) {
    if (event.type !== 'record') continue
    const { kind } = event.record
    if ((kind.kind !== 'stream_chunk' && kind.kind !== 'stream_end') || kind.of !== child) continue
    const chunk = sentTo(kind)
    for (const { data } of chunk === null ? [] : stream.push(resolve(chunk))) {
      if (isBlank(data)) continue
      if (at === wanted) return data
      at += 1
    }
  }
  return null
}

function sentTo(part: Part): Chunk | null {
  if (part.stream !== 'stdin') return null
  if (part.kind === 'stream_end') return part.tail ?? null
  return part.direction === 'out' ? part.data : null
}
