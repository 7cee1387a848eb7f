/**
 * Every sentence about a difference. `<thing> diverged: recorded=<a> replay=<b>` is a promise: people search
 * for it.
 */
import type { Divergence, DivergenceFacts, Words } from './divergence.ts'
import { bounded } from './spelling.ts'
import type { Warning } from './warnings.ts'

export function withSentence(facts: DivergenceFacts, laneRecords: number): Divergence {
  const { words, ...rest } = facts
  return {
    ...rest,
    expected: bounded(rest.expected),
    actual: bounded(rest.actual),
    message: sentence(words, laneRecords),
  }
}

/** `laneRecords`: how many recorded records there were to compare, which is known only at the end. */
function sentence(words: Words, laneRecords: number): string {
  switch (words.form) {
    case 'diverged':
      return `${words.thing} diverged: recorded=${words.recorded} replay=${words.replay}`
    case 'ended':
      return `replay tape ended at #${words.index}; recorded had ${laneRecords - words.index} more record(s)`
    case 'extra-at-end':
      return `replay produced an extra record at #${words.index} (kind=${words.kind})`
    case 'only-recorded':
      return `replay has no counterpart of recorded #${words.index} (kind=${words.kind})`
    case 'only-replayed':
      return `replay produced an extra record at #${words.index} (kind=${words.kind})`
    case 'noticed':
      return words.message
    case 'damaged':
      return `${words.field} of the ${words.side} tape is not what its hash says: ${words.why}`
  }
}

export function warningSentence(warning: Warning): string {
  switch (warning.code) {
    case 'empty':
      return `the ${warning.side} tape holds no record: there was nothing to compare`
    case 'gap':
      return `the ${warning.side} tape has ${warning.count} gap(s): something crossed there unrecorded (first at record ${warning.seq}: ${warning.reason})`
    case 'torn':
      return `the last line (${warning.line}) of the ${warning.side} tape was cut off after ${warning.bytes} bytes`
    case 'unsealed':
      return `the ${warning.side} tape has no seal: its end may be missing`
    case 'header':
      return `header ${warning.field} differs: recorded=${warning.expected} replay=${warning.actual}`
  }
}
