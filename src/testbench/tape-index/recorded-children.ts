/** What a tape has about subprocesses and terminals: their starts, their own tapes and cassettes. */
import { type ContentHash, fieldsOf, type Json } from '../../base/index.ts'
import type { TapeRecord } from '../../tape/index.ts'
import { type ForeignSpawn, isForeignSpawn } from './foreign-spawn.ts'

export type ChildStarted = { readonly seq: number; readonly request: Json; readonly pid: number | null }
export type NamedCassette = {
  readonly name: string
  readonly seq: number
  readonly hash: ContentHash | undefined
  readonly hasOutputHash: boolean
  readonly scrubbed: number
}

export class RecordedChildren {
  readonly #starts = new Map<number, ChildStarted>()
  readonly #tapes = new Map<number, string>()
  readonly #cassettes = new Map<number, NamedCassette>()
  /** Subprocesses of which the tape has only the end. */
  readonly foreign: ForeignSpawn[] = []

  add(record: TapeRecord): void {
    const { kind, seq, scrubbed = 0 } = record
    switch (kind.kind) {
      case 'effect_start':
        if ((kind.boundary === 'process' || kind.boundary === 'terminal') && kind.request !== undefined)
          this.#starts.set(kind.id, { seq, request: kind.request, pid: kind.pid ?? null })
        return
      case 'process_spawn': {
        const { effect } = fieldsOf(kind.io)
        if (kind.tape !== undefined && typeof effect === 'number') this.#tapes.set(effect, kind.tape)
        if (isForeignSpawn(kind)) this.foreign.push({ seq, kind, record })
        return
      }
      case 'terminal_session': {
        const { cassette: name, manifestHash: hash, outputHash, of } = kind
        const hasOutputHash = outputHash !== undefined
        if (of !== undefined) this.#cassettes.set(of, { name, seq, hash, hasOutputHash, scrubbed })
        return
      }
      default:
    }
  }

  readonly start = (id: number): ChildStarted | undefined => this.#starts.get(id)
  readonly tapeOf = (id: number): string | null => this.#tapes.get(id) ?? null
  readonly cassetteOf = (id: number): NamedCassette | null => this.#cassettes.get(id) ?? null
}
