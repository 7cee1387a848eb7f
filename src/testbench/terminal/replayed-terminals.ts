/**
 * Terminals of a program that is being replayed: their output comes from their cassettes, and what the
 * program does to them is compared with what it did when recorded. How its writes are cut does not matter,
 * their bytes do; a mask in the recording matches any one byte.
 */
import type { TerminalAction } from '../../boundaries/session.ts'
import { openSync } from '../../cassette/reader/open.ts'
import type { CassetteReader } from '../../cassette/reader/reader.ts'
import { isRepriseError } from '../../errors/index.ts'
import type { Divergence } from '../../fidelity/divergence.ts'
import { otherTerminalInput, terminalLeft, unreadableTerminal } from '../../fidelity/sentences.ts'
import { cassetteHash, cassettePath } from '../../tape/cassettes-folder.ts'
import type { Kind } from '../../tape/index.ts'
import type { TapeIndex } from '../tape-index/tape-index.ts'
import { createDriverCheck, type DriverCheck } from './driver-check.ts'

export type ReplayedTerminals = {
  /** Null, or why there is nothing to replay from. */
  begin(id: number): Divergence | null
  bytesOf(kind: Kind<'terminal_output'>): Uint8Array
  /** Null if the program did the same when recorded. */
  did(id: number, action: TerminalAction): Divergence | null
  /** What was done when recorded, and was not done this time. */
  left(): readonly Divergence[]
}

type Open = {
  readonly seq: number
  readonly reader: CassetteReader
  readonly check: DriverCheck
  diverged: boolean
}

export function replayedTerminals(path: string, index: TapeIndex): ReplayedTerminals {
  const open = new Map<number, Open>()
  return {
    begin(id) {
      const named = index.cassetteOf(id)
      const place = named === null ? null : cassettePath(path, named.name)
      try {
        if (named === null || place === null)
          return unreadableTerminal(named?.seq ?? null, 'the tape names no cassette for it')
        if (named.hash !== undefined && cassetteHash(place) !== named.hash)
          return unreadableTerminal(named.seq, `${place} is not the cassette that was recorded`)
        const reader = openSync(place)
        open.set(id, { seq: named.seq, reader, check: createDriverCheck(reader.inputs()), diverged: false })
        return null
      } catch (error) {
        if (!isRepriseError(error)) throw error
        return unreadableTerminal(named?.seq ?? null, `${error.message} (${error.code})`)
      }
    },
    bytesOf({ of, offset, lenBytes }) {
      const raw = open.get(of)?.reader.rawOutput() ?? new Uint8Array()
      return raw.subarray(offset, offset + lenBytes)
    },
    did(id, action) {
      const terminal = open.get(id)
      const difference = terminal === undefined ? null : terminal.check.did(action)
      if (terminal === undefined || difference === null) return null
      terminal.diverged = true
      const { did, wanted } = difference
      return otherTerminalInput(terminal.seq, did, wanted)
    },
    left: () =>
      [...open.values()].flatMap(({ seq, check, diverged }): Divergence[] => {
        const wanted = diverged ? null : check.left()
        if (wanted === null) return []
        return [terminalLeft(seq, wanted)]
      }),
  }
}
