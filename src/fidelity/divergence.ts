/** A difference as data. Sentences about it are made in `sentences.ts`, and nowhere else. */
import type { Json } from '../base/index.ts'
import type { PayloadDifference } from './payload-difference.ts'

/**
 * What sort of difference it is. `field` and `payload`: a value or the bytes of a record; `time` and `phase`:
 * when it happened; `link`: what it refers to; `payload-text`: other bytes under the same hash, so one tape
 * is wrong; `payload-damaged`: a payload that is not what its hash says; `replay`: what a replay noticed
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
  | 'link'
  | 'payload-text'
  | 'payload-damaged'
  | 'outcome'
  | 'run'
  | 'replay'

/** The parts of the sentence. Values are spelled and bounded already. */
export type Words =
  | { readonly form: 'diverged'; readonly thing: string; readonly recorded: string; readonly replay: string }
  | { readonly form: 'ended'; readonly index: number }
  | { readonly form: 'extra-at-end'; readonly index: number; readonly kind: string }
  | { readonly form: 'only-recorded'; readonly index: number; readonly kind: string }
  | { readonly form: 'only-replayed'; readonly index: number; readonly kind: string }
  | { readonly form: 'noticed'; readonly message: string }
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

/** A record as a report names it. */
export type Place = {
  readonly seq: number
  readonly kind: string
  /** In its file; 0 without a file. */
  readonly line: number
  readonly summary: string
  /** The key of a call that returned at once, or of an effect. */
  readonly key?: string
}

/** One place where the runs differ, with everything that differs there. */
export type Finding = {
  readonly recorded: Place | null
  readonly replayed: Place | null
  /** The last pair before it that was equal, as numbered on the recorded tape. */
  readonly lastMatch: Place | null
  readonly divergences: readonly Divergence[]
}
