/**
 * Answers to calls that return at once: the earliest on the tape with the key of the call. Those of later turns
 * are used only after an edit.
 */
import type { AnsweredAtOnce } from '../records/delivered-kinds.ts'
import type { GivenAnswer } from '../session/delivery.ts'
import type { Kernel } from '../session/source.ts'
import type { LastMatch } from './tape-miss.ts'
import type { TapeSource, TapeSourceOptions } from './tape-source-contract.ts'

type Taken = { readonly answer: GivenAnswer; readonly match?: LastMatch }

/** Null if the tape has no such answer. Throws a refusal that is part of the run. */
export function tapeAnswers(
  { tools, calls }: Pick<Kernel, 'tools' | 'calls'>,
  { index, cursor, second, travel }: TapeSourceOptions,
): (call: Parameters<TapeSource['tryAnswer']>[0]) => Taken | null {
  const take = (keys: readonly string[]): AnsweredAtOnce | null => {
    for (const key of keys) {
      const record = cursor.takeAnswer(key)
      if (record !== null) return record
    }
    return null
  }

  /** A run that has left its tape may have skipped what is between. */
  const takeLater = (keys: readonly string[]): Taken | null => {
    if (travel?.stage !== 'edited') return null
    for (const key of keys) {
      const record = cursor.takeAnswerAhead(key)
      if (record !== null) return { answer: { ...calls.decode(record), key: calls.keyOf(record) } }
    }
    return null
  }

  return (call) => {
    // A key on the tape was scrubbed when it was written: searching for secrets costs more than comparing.
    const asItIs = call.child === undefined ? cursor.takeAnswer(call.key) : null
    const record = asItIs ?? take(call.keys())
    if (record === null) {
      const later = takeLater(call.keys())
      if (later !== null) return later
      const refusal = index.takeRefusedCall(call.keys()[0])
      if (refusal !== null) throw tools.refuseAgain(refusal)
      const foreign = calls.unmatched(call.child)
      if (foreign?.recorded !== undefined) second.setPlace(foreign.recorded.at)
      return foreign === null ? null : { answer: foreign }
    }
    // A key without placeholders needs no scrubber. Only the start of a child has more than its key.
    if (asItIs === null || call.key.includes('<redacted:')) calls.check(record, call.keys()[0], call.child)
    second.setPlace(record)
    return {
      answer: { ...calls.decode(record), key: calls.keyOf(record) },
      match: { seq: record.seq, key: record.kind.key },
    }
  }
}
