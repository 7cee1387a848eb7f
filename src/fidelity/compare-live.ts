/**
 * Compares a tape with a run that is still going on: each record of the run is compared as soon as it is
 * made. Nothing of the run is stored but what the alignment holds, which is bounded.
 *
 * The first `same` records of the run are known to be those of the tape. They are taken from the tape.
 */
import type { TapeHeader } from '../tape/header.ts'
import type { TapeEvent } from '../tape/parser.ts'
import type { TapeRecord } from '../tape/record.ts'
import { type CompareOptions, compareSteps } from './compare.ts'
import type { FidelityMode } from './modes.ts'
import type { FidelityReport } from './report.ts'
import type { RunEnd, TapeSource } from './source.ts'

export type LiveRun = {
  readonly header: TapeHeader
  readonly same: number
  resolve: TapeSource['resolve']
}

export type LiveComparison = {
  /** `line` is the text that the record has on a tape. */
  add(record: TapeRecord, line: string): void
  /** Once, when the run has ended. */
  end(end: RunEnd): FidelityReport
}

export function compareLive(
  recorded: TapeSource,
  run: LiveRun,
  mode: FidelityMode,
  options: CompareOptions = {},
): LiveComparison {
  const shared = shareRecords(recorded.events, run.same)
  const made: TapeEvent[] = []
  let count = run.same
  let ended: RunEnd | null = null
  let left = run.same
  function* events(): Generator<TapeEvent, void, undefined> {
    yield { type: 'header', header: run.header, text: '', line: 1, offset: 0 }
    while (left > 0) {
      left -= 1
      yield shared.nextShared()
    }
    for (let next = made.shift(); next !== undefined; next = made.shift()) yield next
  }
  const replayed: TapeSource = {
    name: 'this run',
    events: events(),
    resolve: (payload) => run.resolve(payload),
    isReady: () => left > 0 || made.length > 0 || ended !== null,
    end: () => ended,
  }
  // The first step needs a record of the run, or its end.
  let steps: Generator<void, FidelityReport, void> | null = null
  const advance = (): FidelityReport | null => {
    steps ??= compareSteps({ ...recorded, events: shared.all }, replayed, mode, options)
    const { done, value } = steps.next()
    return done === true ? value : null
  }
  return {
    add(record, line) {
      made.push({ type: 'record', record, text: line, line: count + 2, offset: 0 })
      count += 1
      advance()
    },
    end(end) {
      ended = end
      const report = advance()
      if (report === null) throw new Error('the comparison of a run that has ended has not ended')
      return report
    },
  }
}

/**
 * One reading for two readers: all events for the one, the first `count` records for the other. Holds what
 * one has read and the other has not.
 */
function shareRecords(
  source: Iterable<TapeEvent>,
  count: number,
): { readonly all: Iterable<TapeEvent>; nextShared(): TapeEvent } {
  const events = source[Symbol.iterator]()
  const forAll: TapeEvent[] = []
  const forShared: TapeEvent[] = []
  let shared = 0
  const read = (): TapeEvent | null => {
    const next = events.next()
    if (next.done === true) return null
    if (next.value.type === 'record' && shared < count) {
      shared += 1
      forShared.push(next.value)
    }
    return next.value
  }
  function* all(): Generator<TapeEvent, void, undefined> {
    try {
      for (let next = forAll.shift() ?? read(); next !== null; next = forAll.shift() ?? read()) yield next
    } finally {
      events.return?.()
    }
  }
  return {
    all: all(),
    nextShared() {
      for (;;) {
        const known = forShared.shift()
        if (known !== undefined) return known
        const event = read()
        if (event === null) throw new Error('the tape has fewer records than were the same')
        forAll.push(event)
      }
    },
  }
}
