/**
 * A state folder: sessions, their keys with owners and history, and the handoff. Contents are fetched with
 * `payload`.
 */
import type { Content } from './details.ts'
import type { FindingList } from './findings.ts'

export type StateDocument = {
  readonly path: string
  readonly backend: string
  readonly sessions: readonly string[]
  readonly findings: FindingList
}

export type StateSession = {
  readonly session: string
  readonly keys: readonly StateKey[]
  readonly keysMore: number
  readonly handoff: StateHandoff | null
  /** Why the handoff could not be read, or null. */
  readonly handoffProblem: string | null
}

export type StateKey = {
  readonly key: string
  readonly version: string
  readonly sizeBytes: number
  readonly owner: StateOwner | null
  /** UNIX seconds. */
  readonly updatedAt: number | null
  readonly versions: number
}

export type StateOwner = {
  readonly name: string
  readonly writerId: string | null
  readonly stageId: string | null
  readonly workerId: string | null
  readonly instance: string | null
}

export type StateVersion = {
  readonly version: string
  readonly deleted: boolean
  readonly sizeBytes: number
  readonly owner: StateOwner | null
  readonly updatedAt: number | null
  /** Null for a deletion. */
  readonly content: Content | null
}

export type StateHandoff = {
  readonly source: string | null
  readonly target: string | null
  readonly task: string | null
  readonly reason: string | null
  readonly evidence: readonly string[]
  readonly openQuestions: readonly string[]
  readonly summaryJson: string
  readonly owner: StateOwner | null
  readonly writtenAt: number
}
