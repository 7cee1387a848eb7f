/**
 * A journal: what a session did. The time cursor is the number of an entry; the snapshot is what folding the
 * entries up to it gives.
 */
import type { FindingList } from './findings.ts'

export type AuditDocument = {
  readonly path: string
  /** `journal`, or the foreign log that it was imported from. */
  readonly format: string
  readonly entries: number
  readonly firstSeq: number | null
  readonly lastSeq: number | null
  readonly kinds: readonly { readonly kind: string; readonly count: number }[]
  readonly findings: FindingList
}

export type AuditEntriesRequest = {
  readonly from: number
  readonly count: number
  readonly kinds?: readonly string[]
}

export type AuditEntries = {
  readonly total: number
  readonly from: number
  readonly entries: readonly AuditEntry[]
}

export type AuditEntry = {
  /** Position in the file, from 0. */
  readonly index: number
  readonly seq: number
  readonly kind: string
  readonly category: string | null
  readonly turn: number | null
  /** UNIX milliseconds, where the event states a time. */
  readonly atMs: number | null
  /** One line for people. */
  readonly title: string
  readonly json: string
}

/** Everything that is known after entry `index`. */
export type AuditMoment = {
  readonly index: number
  readonly seq: number | null
  /** Upstream's snapshot document, as JSON text. */
  readonly snapshotJson: string
  readonly suspended: {
    readonly seq: number
    readonly reason: string
    readonly pendingCalls: readonly string[]
  } | null
  readonly runs: readonly AuditRun[]
  readonly processes: readonly AuditProcess[]
  readonly tools: readonly {
    readonly name: string
    readonly calls: number
    readonly errors: number
    readonly denied: number
  }[]
  readonly tokens: { readonly input: number; readonly output: number; readonly costUsd: number | null }
  readonly budgets: readonly { readonly turn: number; readonly budget: string }[]
  readonly signals: readonly {
    readonly turn: number
    readonly signal: string
    readonly disposition: string
    readonly queueDepth: number
  }[]
  readonly gates: readonly {
    readonly seq: number
    readonly turn: number | null
    readonly kind: string
    readonly text: string
  }[]
}

type AuditRun = {
  readonly runId: string
  readonly goal: string
  readonly startedAtSeq: number
  readonly endedAtSeq: number | null
  readonly reason: string | null
  readonly turns: number | null
  readonly tokens: number | null
  readonly suspensions: number
}

export type AuditProcess = {
  readonly agentId: string
  readonly role: string
  readonly isolation: string | null
  readonly state: string | null
  readonly termination: string | null
  readonly turn: number | null
  readonly firstSeq: number | null
  readonly lastSeq: number | null
  readonly children: readonly AuditProcess[]
}
