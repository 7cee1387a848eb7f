/**
 * Lines from bytes in pieces of any size: the form of MCP over the pipes of a subprocess. Returns each line
 * with its exact source text. Holds at most one unfinished line, and stops at one that does not end.
 */
export type Line = { readonly raw: string; readonly data: string }

const MAX_LINE_CHARS = 64 * 1024 * 1024

export class LineStream {
  /** Created on first use: most streams are never parsed. */
  #decoder: InstanceType<typeof TextDecoder> | null = null
  readonly #most: number
  #rest = ''
  #lost = false

  constructor(mostChars = MAX_LINE_CHARS) {
    this.#most = mostChars
  }

  /** True once a line was too long: nothing more is reported for this stream. */
  get lost(): boolean {
    return this.#lost
  }

  push(bytes: Uint8Array): readonly Line[] {
    if (this.#lost) return []
    this.#decoder ??= new TextDecoder('utf-8', { ignoreBOM: true })
    const text = this.#decoder.decode(bytes, { stream: true })
    if (!text.includes('\n')) {
      this.#rest += text
      this.#giveUp()
      return []
    }
    const parts = (this.#rest + text).split('\n')
    this.#rest = parts.pop() ?? ''
    this.#giveUp()
    return parts.map((line) => ({ raw: `${line}\n`, data: line.endsWith('\r') ? line.slice(0, -1) : line }))
  }

  /** The text after the last whole line. */
  rest(): string {
    return this.#rest + (this.#decoder?.decode() ?? '')
  }

  #giveUp(): void {
    if (this.#rest.length <= this.#most) return
    this.#lost = true
    this.#rest = ''
  }
}
