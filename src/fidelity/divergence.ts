/**
 * A difference of two runs as data: one type for what the comparison finds and for what a replay notices
 * while it runs. Sentences about it are made in `sentences.ts`, and nowhere else.
 */
import type { Json } from '../base/index.ts'
import { RepriseError } from '../errors/index.ts'
import type { ReadFacts } from './clock-reads.ts'
import type { PayloadDifference } from './payload-difference.ts'

/**
 * What sort of difference it is. `field` and `payload`: a value or the bytes of a record; `time` and `phase`:
 * when it happened; `order`: a call or read at another place; `link`: what it refers to; `payload-text`: other bytes under the same hash, so one tape
 * is wrong; `payload-damaged`: a payload that does not have its hash; `replay`: what a replay noticed
 * while it ran.
 */
export type DivergenceCode =
  | 'missing'
  | 'extra'
  | 'kind'
  | 'phase'
  | 'time'
  | 'field'
  | 'payload'
  | 'order'
  | 'link'
  | 'payload-text'
  | 'payload-damaged'
  | 'outcome'
  | 'run'
  | 'replay'

/** The parts of the sentence. Values are spelled and bounded already. */
export type Words =
  | {
      readonly form: 'diverged'
      readonly thing: string
      readonly recorded: string
      readonly replay: string
      /** Of the value of a clock read. */
      readonly read?: ReadFacts
    }
  | { readonly form: 'ended'; readonly index: number }
  | { readonly form: 'extra-at-end'; readonly index: number; readonly kind: string }
  | { readonly form: 'only-recorded'; readonly index: number; readonly kind: string }
  | { readonly form: 'only-replayed'; readonly index: number; readonly kind: string }
  | { readonly form: 'noticed'; readonly message: string }
  | {
      readonly form: 'moved'
      readonly seq: number
      readonly what: string
      readonly was: string
      readonly now: string
    }
  | {
      readonly form: 'damaged'
      readonly side: 'recorded' | 'replayed'
      readonly field: string
      readonly why: string
    }

export type DivergenceFacts = {
  /** Of the recorded record, or of the replayed one if only that is there; null for an outcome. */
  readonly seq: number | null
  /** Upstream's tag, stable. */
  readonly category: string
  readonly code: DivergenceCode
  /** Where in the record: `$.kind.exit_code`; null where the whole record, or no record, is meant. */
  readonly path: string | null
  readonly expected: Json
  readonly actual: Json
  readonly payload: PayloadDifference | null
  readonly words: Words
}

export type Divergence = Omit<DivergenceFacts, 'words'> & { readonly message: string }

/**
 * The error that the program gets where a replay leaves its tape. The divergence is also a record of the
 * second recording, so a program that swallows the error does not change the verdict.
 */
export function divergenceError(divergence: Divergence): RepriseError {
  const { message, seq, category, expected, actual, path } = divergence
  return new RepriseError('replay-diverged', message, {
    details: { seq, category, expected, actual, path },
    hint: 'record again if the change is meant',
  })
}

type OnTape = Pick<Divergence, 'category' | 'message' | 'expected' | 'actual' | 'path'>

/** A divergence as the record `divergence` of a tape has it. */
export function divergenceOf({ at, ...kind }: OnTape & { readonly at: number | null }): Divergence {
  const { category, message, expected, actual, path } = kind
  return { seq: at, category, code: 'replay', path, expected, actual, payload: null, message }
}

/** An expected or actual value as text: what the record of a tape and the report of a replay have. */
export function valueText(value: Json): string | null {
  if (value === null) return null
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** A record as a report names it. */
export type Place = {
  readonly seq: number
  readonly kind: string
  /** In its file; 0 without a file. */
  readonly line: number
  readonly summary: string
  /** The key of a call that returned at once, or of an effect. */
  readonly key?: string
  /** Of an outcome: the key of its effect. */
  readonly effect?: string
}

/** One place where the runs differ, with everything that differs there. */
export type Finding = {
  readonly recorded: Place | null
  readonly replayed: Place | null
  /** The last pair before it that was equal, as numbered on the recorded tape. */
  readonly lastMatch: Place | null
  readonly divergences: readonly Divergence[]
}
