/**
 * Server-sent events out of bytes that come in any pieces. Returns each event with its exact source text, so
 * that unchanged events can be passed on as they came. Holds at most one unfinished event, and gives up on
 * one that does not end.
 *
 * Decision 0264.
 */
export type ServerEvent = {
  /** From its first line to the empty line that ends it. */
  readonly raw: string
  readonly event: string
  readonly data: string
}

const MAX_EVENT_CHARS = 64 * 1024 * 1024

export class EventStream {
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  readonly #most: number
  /**
   * What has come of an event that has not ended: put together only when a line ends, since one may come in
   * very many pieces.
   */
  #pieces: string[] = []
  #length = 0
  #lost = false

  constructor(mostChars = MAX_EVENT_CHARS) {
    this.#most = mostChars
  }

  /** True once an event was too long to be followed: nothing more is reported for this stream. */
  get lost(): boolean {
    return this.#lost
  }

  push(bytes: Uint8Array): readonly ServerEvent[] {
    return this.#lost ? [] : this.#cut(this.#decoder.decode(bytes, { stream: true }))
  }

  /** The bytes after the last complete event. */
  rest(): string {
    return this.#pieces.join('') + this.#decoder.decode()
  }

  #cut(text: string): readonly ServerEvent[] {
    this.#hold(text)
    if (!/[\r\n]/.test(text)) return []
    const all = this.#pieces.join('')
    const events: ServerEvent[] = []
    let start = 0
    // The end of a line may have come in two pieces: look again from a little before.
    END_OF_EVENT.lastIndex = Math.max(0, all.length - text.length - 4)
    for (let match = END_OF_EVENT.exec(all); match !== null; match = END_OF_EVENT.exec(all)) {
      // A lone CR at the very end may be half of a CRLF.
      if (match[0].endsWith('\r') && END_OF_EVENT.lastIndex === all.length) break
      events.push(eventOf(all.slice(start, END_OF_EVENT.lastIndex)))
      start = END_OF_EVENT.lastIndex
    }
    this.#pieces = []
    this.#length = 0
    this.#hold(all.slice(start))
    return events
  }

  #hold(text: string): void {
    if (text === '') return
    this.#pieces.push(text)
    this.#length += text.length
    if (this.#length <= this.#most) return
    this.#lost = true
    this.#pieces = []
  }
}

const END_OF_EVENT = /(?:\r\n|\n|\r)(?:\r\n|\n|\r)/g

/** Every event of a whole text, the last one also if no empty line ends it. */
export function eventsIn(text: string): readonly ServerEvent[] {
  // Nearly all servers end lines with a line feed alone: the same pieces without a regular expression.
  return text.split(text.includes('\r') ? END_OF_EVENT : '\n\n').map(eventOf)
}

function eventOf(raw: string): ServerEvent {
  if (raw.startsWith('data: ') && !/[\r\n]/.test(raw)) return { raw, event: 'message', data: raw.slice(6) }
  let event = 'message'
  const data: string[] = []
  for (const line of raw.split(/\r\n|\n|\r/)) {
    if (line.startsWith('data:')) data.push(line.slice(5).replace(/^ /, ''))
    if (line.startsWith('event:')) event = line.slice(6).replace(/^ /, '')
  }
  return { raw, event, data: data.join('\n') }
}

/** The same event with other data. Its other fields stay. */
export function withData({ raw }: ServerEvent, data: string): string {
  const newline = /\r\n|\n|\r/.exec(raw)?.[0] ?? '\n'
  const lines = raw.split(/\r\n|\n|\r/)
  const first = lines.findIndex((line) => line.startsWith('data:'))
  const kept = lines.flatMap((line, at) =>
    at === first ? data.split('\n').map((part) => `data: ${part}`) : line.startsWith('data:') ? [] : [line],
  )
  return kept.join(newline)
}
