/**
 * Warnings of a comparison, in addition to its findings. The first four make "the same" unproven: they
 * take away the clean verdict, unless a budget allows them. A header that differs does not: two runs may well
 * come from two machines.
 */

import type { Json } from '../base/index.ts'
import { headerNames, type TapeHeader } from '../tape/header.ts'
import { jsonText } from './json-text.ts'
import type { SideReading } from './reading.ts'
import { cut } from './spelling.ts'

type WarnedSide = 'recorded' | 'replayed'

export type Warning =
  | { readonly code: 'empty'; readonly side: WarnedSide }
  | {
      readonly code: 'gap'
      readonly side: WarnedSide
      readonly count: number
      readonly seq: number
      readonly reason: string
    }
  | { readonly code: 'torn'; readonly side: WarnedSide; readonly line: number; readonly bytes: number }
  | { readonly code: 'unsealed'; readonly side: WarnedSide }
  | {
      readonly code: 'header'
      readonly side: null
      readonly field: string
      readonly expected: string
      readonly actual: string
    }

/** Codes that leave a comparison unproven; a budget may name them. */
export const unprovenCodes = ['empty', 'gap', 'torn', 'unsealed'] as const

export function isUnproven(warning: Warning): boolean {
  return warning.code !== 'header'
}

export function warningsOf(recorded: SideReading, replayed: SideReading): Warning[] {
  return [
    ...sideWarnings(recorded, 'recorded'),
    ...sideWarnings(replayed, 'replayed'),
    ...headerWarnings(recorded.header, replayed.header),
  ]
}

function* sideWarnings(reading: SideReading, side: WarnedSide): Generator<Warning, void, void> {
  if (reading.records === 0) yield { code: 'empty', side }
  if (reading.firstGap !== null)
    yield {
      code: 'gap',
      side,
      count: reading.gaps,
      seq: reading.firstGap.seq,
      reason: cut(reading.firstGap.reason, 200),
    }
  if (reading.torn !== null) yield { code: 'torn', side, ...reading.torn }
  // A foreign tape can't be sealed; what has no header at all is a stream from memory.
  if (reading.header?.producer !== undefined && reading.seal === null) yield { code: 'unsealed', side }
}

/**
 * `modules`, `roots` and the like follow from the machine or the program; they are compared too, each in one
 * line.
 */
const FIELDS = headerNames.filter(([name]) => name !== 'producer' && name !== 'ignore')

const MAX_FIELD_CHARS = 500

function* headerWarnings(
  recorded: TapeHeader | null,
  replayed: TapeHeader | null,
): Generator<Warning, void, void> {
  if (recorded === null || replayed === null) return
  for (const [name, field] of FIELDS) {
    const expected = headerText(recorded[name])
    const actual = headerText(replayed[name])
    if (expected !== actual)
      yield {
        code: 'header',
        side: null,
        field,
        expected: cut(expected, MAX_FIELD_CHARS),
        actual: cut(actual, MAX_FIELD_CHARS),
      }
  }
}

function headerText(value: unknown): string {
  return value === undefined ? 'null' : jsonText(value as Json)
}
