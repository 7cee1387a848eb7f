/**
 * The facts of header and seal that the overview shows, and the findings on the file as a whole.
 */
import { fieldsOf, numberOf, textOf } from '../../base/index.ts'
import type { TapeHeader } from '../../tape/header.ts'
import type { Kind } from '../../tape/kinds.ts'
import { shownHeader } from '../../tape/root-names.ts'
import type { ViewerFinding } from '../protocol/findings.ts'
import type { TapeOverview, TapeVerdict } from '../protocol/overview.ts'

export type SeenHeader = { readonly value: TapeHeader; readonly text: string }

export function headerFacts(header: SeenHeader | null): Pick<TapeOverview, 'command' | 'origin'> {
  if (header === null) {
    return { command: [], origin: { writer: 'unknown', foreign: false, node: null, header: null } }
  }
  const { text } = header
  const value = shownHeader(header.value)
  const script = value.scriptPath === null ? [] : [value.scriptPath]
  const { producer } = value
  return {
    command: [...(value.command ?? [...script, ...value.argv])],
    origin: {
      writer: producer === undefined ? value.harnVersion : `${producer.name} ${producer.version}`,
      foreign: producer === undefined,
      node: value.node ?? null,
      header: text,
    },
  }
}

export function sealFacts(seal: Kind<'tape_seal'> | null): Pick<TapeOverview, 'exit' | 'boundaries'> {
  if (seal === null) return { exit: null, boundaries: [] }
  const exit = fieldsOf(seal.exit ?? undefined)
  const boundaries = Object.entries(fieldsOf(seal.boundaries))
  return {
    exit: seal.exit === null ? null : { code: numberOf(exit.code), signal: textOf(exit.signal) },
    boundaries: boundaries.map(([name, state]) => ({ name, state: textOf(state) ?? JSON.stringify(state) })),
  }
}

/** What is known when the last line was read. */
export type TapeEnd = {
  /** Why nothing could be read, or null. */
  readonly problem: ViewerFinding | null
  readonly header: SeenHeader | null
  readonly seal: Kind<'tape_seal'> | null
  readonly records: number
  readonly rows: number
  /** Some line is damaged or torn. */
  readonly damaged: boolean
}

export function verdictOf({ problem, header, seal, records, damaged }: TapeEnd): TapeVerdict {
  if (problem !== null) return 'unreadable'
  if (damaged) return 'damaged'
  if (seal !== null) return seal.records === records ? 'sealed' : 'damaged'
  return header !== null && header.value.producer === undefined ? 'foreign' : 'open'
}

export function wholeFileFindings({ problem, header, seal, records, rows }: TapeEnd): ViewerFinding[] {
  if (problem !== null) return [problem]
  if (seal !== null && seal.records !== records) {
    return [
      fault(
        'seal-count',
        rows - 1,
        null,
        `the seal counts ${seal.records} records, there are ${records}`,
        null,
      ),
    ]
  }
  if (seal !== null || header === null) return []
  if (header.value.producer === undefined) {
    const message = 'written by another system, which does not seal its tapes: a cut tail cannot be seen'
    return [{ ...fault('unsealed-foreign', null, null, message, null), severity: 'note' }]
  }
  const message = 'the tape has no seal: the run goes on, was cut off, or the end of the file is missing'
  return [fault('unsealed', null, null, message, null)]
}

export function fault(
  code: string,
  row: number | null,
  line: number | null,
  message: string,
  hint: string | null,
): ViewerFinding {
  return { code, severity: 'fault', row, line, message, hint }
}
