/**
 * What a replay answers on the spot: reads of the clock, of randomness, of facts. Clock and randomness come from the reads of this turn; a clock that is
 * read more often than recorded repeats its last value, and is counted. Randomness is never made up.
 */
import type { Session } from '../../boundaries/session.ts'
import type { Scrubber } from '../../scrub/index.ts'
import type { TapePayloads } from '../../tape/tape-payloads.ts'
import { divergenceError, type ReplayDivergence } from '../difference/divergence.ts'
import { clockValue } from '../records/clock-text.ts'
import type { TapeIndex } from '../tape-index/tape-index.ts'
import type { EmittedTape } from './emitted-tape.ts'
import type { TapeCursor } from './tape-cursor.ts'

export type ReplayReadsOptions = {
  readonly cursor: TapeCursor
  readonly index: TapeIndex
  readonly scrubber: Scrubber
  readonly payloads: TapePayloads
  readonly emit: EmittedTape
  readonly keep: (divergence: ReplayDivergence) => ReplayDivergence
  readonly standAtAsked: (what: string) => void
}

export type ReplayReads = Pick<Session, 'readClock' | 'readRandom' | 'readFact'> & {
  /** Reads that are not on the tape. */
  readonly extra: { readonly clock: number; readonly facts: number }
  beginTurn(): void
}

/** A program that waits for the clock in a loop would wait for ever: the tape has no more time to give. */
const MAX_EXTRA_IN_TURN = 100_000

export function replayReads({ cursor, index, scrubber, payloads, emit, keep, standAtAsked }: ReplayReadsOptions): ReplayReads {
  const lastClock = new Map<string, { readonly valueMs: number; readonly value?: string }>()
  const extra = { clock: 0, facts: 0 }
  let extraInTurn = 0
  return {
    extra,
    beginTurn() {
      extraInTurn = 0
    },
    readClock(api, source) {
      const unit = /^(process\.hrtime|Temporal\.Now)/.test(api) ? 'ns' : 'ms'
      const read = cursor.takeRead('clock_read', api)
      if (read === null) {
        extra.clock += 1
        extraInTurn += 1
        if (extraInTurn > MAX_EXTRA_IN_TURN) throw divergenceError(keep(clockStandsStill(api)))
      }
      const text =
        read?.kind.kind === 'clock_read' ? { valueMs: read.kind.valueMs, ...(read.kind.value === undefined ? {} : { value: read.kind.value }) } : null
      const served = text ?? lastClock.get(api) ?? { valueMs: source === 'wall' ? (cursor.peekDelivery()?.virtualTimeMs ?? 0) : 0 }
      lastClock.set(api, served)
      const value = clockValue(served, unit)
      if (read !== null) emit.standAt(read)
      emit.clock(api, source, value)
      return value
    },
    readRandom(api, _perform, size) {
      const read = cursor.takeRead('random_read', api)
      if (read?.kind.kind === 'random_read') {
        const bytes = payloads(read.kind.data)
        if (size !== undefined && bytes.byteLength !== size) throw divergenceError(keep(otherSize(api, read.seq, bytes.byteLength, size)))
        emit.standAt(read)
        emit.random(api, bytes)
        return bytes
      }
      const seq = cursor.peekDelivery()?.seq ?? null
      const message = `Replay diverged${seq === null ? '' : ` before record ${seq}`}: the program asks for more random values (${api}) than are on the tape`
      throw divergenceError(keep({ seq, category: 'random_extra', message, expected: null, actual: api, path: null }))
    },
    readFact(api, name) {
      const known = index.fact(api, name)
      if (known === undefined || known.extra) extra.facts += 1
      const value = known?.value ?? null
      standAtAsked(`fact ${api} ${name}`)
      emit.fact(api, name, value)
      // What was taken from the tape counts as seen: numbered placeholders come out as they did when recorded.
      return value === null ? null : scrubber.text(value, 'received')
    },
  }
}

function otherSize(api: string, seq: number, recorded: number, wanted: number): ReplayDivergence {
  const message = `Replay diverged at record ${seq}: expected ${api} to be asked for ${recorded} random byte(s), got ${wanted}`
  return { seq, category: 'random_size', message, expected: String(recorded), actual: String(wanted), path: null }
}

function clockStandsStill(api: string): ReplayDivergence {
  const message = `Replay diverged: the program reads ${api} again and again, and the tape has no more of it`
  return { seq: null, category: 'clock_extra', message, expected: null, actual: api, path: null }
}
