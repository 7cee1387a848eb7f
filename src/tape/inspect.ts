/** Counts what is on a tape. Skips damage and reports where it was. Streams. */

import type { Json } from '../base/index.ts'
import { parseJson } from '../base/index.ts'
import { casUsage } from './cas.ts'
import type { TornLine } from './event-tape.ts'
import { kindName } from './kinds.ts'
import { type McpCallLine, mcpCallLine } from './mcp-calls.ts'
import type { Damage, TapeEvent } from './parser.ts'
import { readTapeEvents } from './reader.ts'
import type { TapeRecord } from './record.ts'

export type Gap = { readonly seq: number; readonly boundary: string; readonly reason: string }

export type TapeSummary = {
  /** As stored on the line. */
  readonly header: Json
  readonly records: number
  readonly kinds: { readonly [kind: string]: number }
  readonly cas: { readonly entries: number; readonly bytes: number }
  readonly sealed: boolean
  readonly torn: TornLine | null
  readonly gaps: readonly Gap[]
  /** The completeness table of the seal, or null without one. */
  readonly boundaries: Json
  /** Calls of MCP servers, the first of them. */
  readonly mcp: readonly McpCallLine[]
  /** Children with tapes of their own, the first of them. */
  readonly children: readonly SpawnedChild[]
  /** Notes about children that have none, though they are Node processes. */
  readonly unrecorded: readonly string[]
  readonly damage: readonly Damage[]
}

type SpawnedChild = {
  readonly seq: number
  /** Its name in the folder of the children. */
  readonly tape: string
  readonly exitCode: number
  readonly signal: string | null
}

/** How a note about a Node child without a tape begins. */
export const NOT_RECORDED = 'the Node child was not recorded'

/** More gaps, calls or damaged lines than this are counted by the kinds, not listed. */
const MAX_LISTED = 1000

export function inspectTape(path: string): TapeSummary {
  const kinds = new Map<string, number>()
  const gaps: Gap[] = []
  const damage: Damage[] = []
  const mcp: McpCallLine[] = []
  const children: SpawnedChild[] = []
  const unrecorded: string[] = []
  let header: Json = null
  let records = 0
  let sealed = false
  let torn: TornLine | null = null
  let boundaries: Json = null
  for (const event of readTapeEvents(path)) {
    switch (event.type) {
      case 'header':
        header = parseJson(event.text)
        break
      case 'torn':
        torn = { line: event.line, bytes: event.bytes }
        break
      case 'damage':
        if (damage.length < MAX_LISTED) damage.push(event.damage)
        break
      case 'record': {
        const { kind, seq } = event.record
        if (kind.kind === 'tape_seal') {
          sealed = true
          boundaries = kind.boundaries
          break
        }
        records += 1
        kinds.set(kindName(kind), (kinds.get(kindName(kind)) ?? 0) + 1)
        if (kind.kind === 'mcp_json_rpc' && mcp.length < MAX_LISTED) mcp.push(mcpCallLine(seq, kind))
        if (kind.kind === 'process_spawn' && kind.tape !== undefined && children.length < MAX_LISTED)
          children.push({ seq, tape: kind.tape, exitCode: kind.exitCode, signal: kind.signal ?? null })
        if (kind.kind === 'note' && kind.reason.startsWith(NOT_RECORDED) && unrecorded.length < MAX_LISTED)
          unrecorded.push(kind.reason)
        if (kind.kind === 'gap' && gaps.length < MAX_LISTED)
          gaps.push({ seq, boundary: kind.boundary, reason: kind.reason })
      }
    }
  }
  const byName = [...kinds].sort(([a], [b]) => (a < b ? -1 : 1))
  return {
    header,
    records,
    kinds: Object.fromEntries(byName),
    cas: casUsage(path),
    sealed,
    torn,
    gaps,
    boundaries,
    mcp,
    children,
    unrecorded,
    damage,
  }
}

export type RecordFilter = { readonly kind?: string; readonly seq?: number }

/**
 * The records that fit the filter, each with the text of its line. The seal is a record here: a caller that
 * asks for it by name sees it.
 */
export function* selectRecords(
  path: string,
  filter: RecordFilter,
): Generator<{ readonly record: TapeRecord; readonly text: string }> {
  for (const event of readTapeEvents(path)) if (event.type === 'record' && fits(event, filter)) yield event
}

function fits({ record }: Extract<TapeEvent, { type: 'record' }>, filter: RecordFilter): boolean {
  if (filter.kind !== undefined && kindName(record.kind) !== filter.kind) return false
  return filter.seq === undefined || record.seq === filter.seq
}
