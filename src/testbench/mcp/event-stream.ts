/**
 * Server-sent events out of bytes that come in any pieces. Gives each event with the very text that it stood in, so that what need not change is passed on
 * as it came. Holds at most one unfinished event, and gives up on one that does not end.
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
  #rest = ''
  #searched = 0
  #lost = false
  readonly #most: number

  constructor(mostChars = MAX_EVENT_CHARS) {
    this.#most = mostChars
  }

  /** True once an event was too long to be followed: nothing more is said of this stream. */
  get lost(): boolean {
    return this.#lost
  }

  push(bytes: Uint8Array): readonly ServerEvent[] {
    return this.#lost ? [] : this.#cut(this.#decoder.decode(bytes, { stream: true }))
  }

  /** What stands after the last whole event. */
  rest(): string {
    return this.#rest + this.#decoder.decode()
  }

  #cut(text: string): readonly ServerEvent[] {
    this.#rest += text
    const events: ServerEvent[] = []
    let start = 0
    // The end of a line may have come in two pieces: look again from a little before.
    END_OF_EVENT.lastIndex = Math.max(0, this.#searched - 4)
    for (let match = END_OF_EVENT.exec(this.#rest); match !== null; match = END_OF_EVENT.exec(this.#rest)) {
      // A lone CR at the very end may be half of a CRLF.
      if (match[0].endsWith('\r') && END_OF_EVENT.lastIndex === this.#rest.length) break
      events.push(eventOf(this.#rest.slice(start, END_OF_EVENT.lastIndex)))
      start = END_OF_EVENT.lastIndex
    }
    this.#rest = this.#rest.slice(start)
    this.#searched = this.#rest.length
    if (this.#rest.length > this.#most) {
      this.#lost = true
      this.#rest = ''
    }
    return events
  }
}

const END_OF_EVENT = /(?:\r\n|\n|\r)(?:\r\n|\n|\r)/g

function eventOf(raw: string): ServerEvent {
  let event = 'message'
  const data: string[] = []
  for (const line of raw.split(/\r\n|\n|\r/)) {
    if (line.startsWith('data:')) data.push(line.slice(5).replace(/^ /, ''))
    if (line.startsWith('event:')) event = line.slice(6).replace(/^ /, '')
  }
  return { raw, event, data: data.join('\n') }
}

/** The same event with other data. What else it says stays. */
export function withData({ raw }: ServerEvent, data: string): string {
  const newline = /\r\n|\n|\r/.exec(raw)?.[0] ?? '\n'
  const lines = raw.split(/\r\n|\n|\r/)
  const first = lines.findIndex((line) => line.startsWith('data:'))
  const kept = lines.flatMap((line, at) => (at === first ? data.split('\n').map((part) => `data: ${part}`) : line.startsWith('data:') ? [] : [line]))
  return kept.join(newline)
}
