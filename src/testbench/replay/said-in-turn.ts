/**
 * For the tape of a replay: records that stand where they stand because of what the program did in its turn. What it sent to a subprocess, and what the
 * recorder noted of messages that it sent, is written when the program does it again, not when the tape is read past it.
 *
 * Each such record waits with the deed that it follows on the tape: the start of an effect, something sent, an answer given up. What a turn leaves over is
 * written at its end.
 */
import type { ChildSide } from '../../boundaries/session.ts'
import type { TapeRecord } from '../../tape/index.ts'

type Group = { readonly records: TapeRecord[] }

export class SaidInTurn {
  readonly #write: (record: TapeRecord) => void
  readonly #read: () => void
  readonly #waiting = new Map<string, Group[]>()
  /** Exchanges whose end was handed out in this turn: what is noted of one then follows from its end. */
  readonly #over = new Set<number>()
  #current: Group | null = null

  /** `read` reads the tape on to the end of the turn. */
  constructor(write: (record: TapeRecord) => void, read: () => void) {
    this.#write = write
    this.#read = read
  }

  /** Keeps the record if it belongs to a deed of the program. */
  keep(record: TapeRecord): boolean {
    const { kind } = record
    switch (kind.kind) {
      case 'effect_start':
        this.#begin(started(kind.id), [])
        return false
      case 'stream_chunk':
        return kind.direction === 'out' && this.#begin(sent(kind.of, kind.stream), [record])
      case 'stream_end':
        // Only a subprocess has named streams; what an answer's stream leaves behind when it is given up follows from no deed of its own.
        return kind.closedBy !== undefined && kind.stream !== undefined && this.#begin(sent(kind.of, kind.stream), [record])
      case 'mcp_message':
      case 'mcp_json_rpc':
        this.#current?.records.push(record)
        return this.#current !== null
      case 'llm_call':
        // Of an answer that the program gave up, the call is noted at that very moment.
        return kind.wire !== undefined && !this.#over.has(kind.wire) && this.#begin(closed(kind.wire), [record])
      default:
        return false
    }
  }

  /** This is being handed out. */
  delivered({ kind }: TapeRecord): void {
    if (kind.kind === 'stream_end') this.#over.add(kind.of)
    if (kind.kind === 'http_exchange' && kind.error !== undefined && kind.error !== null) this.#over.add(kind.id)
  }

  /** The program has closed this recorded effect. */
  closed(effect: number): void {
    if (this.#over.has(effect)) return
    this.#done(closed(effect))
  }

  /** The program has started this recorded effect. */
  started(effect: number): void {
    this.#done(started(effect))
  }

  /** The side of a subprocess, under which what is sent is written as it is sent. */
  watched(side: ChildSide, effect: number): ChildSide {
    return {
      ...side,
      send: (stream, bytes) => {
        this.#done(sent(effect, stream))
        return side.send(stream, bytes)
      },
      sendEnd: (stream) => {
        this.#done(sent(effect, stream))
        side.sendEnd(stream)
      },
    }
  }

  /** The next outcome begins another turn. */
  endTurn(): void {
    this.#current = null
    this.#over.clear()
    for (const groups of this.#waiting.values()) for (const { records } of groups) for (const record of records) this.#write(record)
    this.#waiting.clear()
  }

  #begin(deed: string, records: TapeRecord[]): true {
    this.#current = { records }
    const groups = this.#waiting.get(deed)
    if (groups === undefined) this.#waiting.set(deed, [this.#current])
    else groups.push(this.#current)
    return true
  }

  #done(deed: string): void {
    this.#read()
    for (const record of this.#waiting.get(deed)?.shift()?.records ?? []) this.#write(record)
  }
}

function started(effect: number): string {
  return `start ${effect}`
}

function closed(effect: number): string {
  return `closed ${effect}`
}

function sent(effect: number, stream: string | undefined): string {
  return `sent ${effect} ${stream ?? ''}`
}
