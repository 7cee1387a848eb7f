/**
 * Opens paths as one viewer: the items, the comparison if two tapes were given, and every method of a source
 * over files on disk. The server, the bundle and the export all begin here.
 */
import { basename, resolve } from 'node:path'
import { version } from '../../base/version.ts'
import { isCassette } from '../../cassette/files/read-folder.ts'
import type { FidelityMode } from '../../fidelity/modes.ts'
import { cassettePath } from '../../tape/cassettes-folder.ts'
import type { Progress } from '../index/index-folder.ts'
import type { FollowEvent, ViewerDocument, ViewerItem, ViewerSource } from '../protocol/source.ts'
import { ViewerProblem } from '../protocol/transport.ts'
import { createAuditView } from '../source/audit-view.ts'
import { createCassetteView } from '../source/cassette-view.ts'
import { type ComparisonParts, type ComparisonView, createComparisonView } from '../source/comparison-view.ts'
import { type OpenedAudit, openAuditItem } from './audit-item.ts'
import { type OpenedCassette, openCassetteItem } from './cassette-item.ts'
import { type ComparedTape, comparisonParts } from './comparison-parts.ts'
import { itemType } from './item-type.ts'
import { type OpenedState, openStateItem } from './state-item.ts'
import { followTapeItem, openTapeItem, type TapeItem } from './tape-item.ts'

export type ViewerOptions = {
  readonly follow?: boolean
  readonly mode?: FidelityMode
  readonly onProgress?: Progress
}

export type OpenViewer = {
  readonly document: ViewerDocument
  readonly source: ViewerSource
  /** What the items hold, for a bundle or an export. */
  readonly tapes: ReadonlyMap<string, TapeItem>
  readonly cassettes: ReadonlyMap<string, OpenedCassette>
  readonly audits: ReadonlyMap<string, OpenedAudit>
  readonly states: ReadonlyMap<string, OpenedState>
  readonly comparison: ComparisonParts | null
  close(): Promise<void>
}

export async function openViewer(paths: readonly string[], options: ViewerOptions = {}): Promise<OpenViewer> {
  const items: ViewerItem[] = []
  const tapes = new Map<string, TapeItem>()
  const cassettes = new Map<string, OpenedCassette>()
  const audits = new Map<string, OpenedAudit>()
  const states = new Map<string, OpenedState>()
  const listeners = new Set<(event: FollowEvent) => void>()
  const report = (event: FollowEvent): void => {
    for (const listener of listeners) listener(event)
  }
  let closed = false
  const close = async (): Promise<void> => {
    if (closed) return
    closed = true
    for (const tape of tapes.values()) tape.close()
    for (const state of states.values()) await state.close()
  }

  const openTape = async (id: string, path: string): Promise<void> => {
    const cassetteItem = (name: string): string | null => {
      const folder = cassettePath(path, name)
      return folder !== null && isCassette(folder) ? `${id}.${name}` : null
    }
    const common = {
      item: id,
      cassetteItem,
      ...(options.onProgress === undefined ? {} : { onProgress: options.onProgress }),
    }
    const tape =
      options.follow === true ? await followTapeItem(path, common, report) : await openTapeItem(path, common)
    tapes.set(id, tape)
    for (const { row, item, atMs } of tape.metadata().overview.terminals.items) {
      const folder = item === null ? null : cassettePath(path, item.slice(id.length + 1))
      if (item === null || folder === null) continue
      const { effectRow } = (await tape.view().details(row)).row
      const startMs = effectRow === null ? null : (await tape.view().details(effectRow)).row.atMs
      const opened = openCassetteItem(folder, { item: id, row, offsetMs: 0 })
      const offsetMs = startMs ?? atMs - opened.parts.document.durationMs
      const document = { ...opened.parts.document, tape: { item: id, row, offsetMs } }
      cassettes.set(item, { ...opened, parts: { ...opened.parts, document } })
      items.push({ id: item, type: 'cassette', name: `terminal ${item}`, path: folder, parent: id })
    }
  }

  try {
    for (const [number, given] of paths.entries()) {
      const path = resolve(given)
      const id = String(number)
      const type = await itemType(path)
      items.push({ id, type, name: basename(path), path, parent: null })
      if (type === 'tape') await openTape(id, path)
      else if (type === 'cassette') cassettes.set(id, openCassetteItem(path, null))
      else if (type === 'journal') audits.set(id, await openAuditItem(path))
      else states.set(id, await openStateItem(path))
    }
    const comparison = options.follow === true ? null : await compared(tapes, options.mode)
    const document: ViewerDocument = {
      version,
      items,
      comparison:
        comparison === null
          ? null
          : { recorded: comparison.document.recorded, replayed: comparison.document.replayed },
      capabilities: {
        source: 'server',
        follow: options.follow === true && tapes.size > 0,
        search: true,
        left_out: [],
      },
    }
    const maps = { tapes, cassettes, audits, states, comparison }
    return { document, ...maps, source: sourceOf(document, maps, listeners), close }
  } catch (error) {
    await close()
    throw error
  }
}

/** The first two tapes, if there are two. */
async function compared(
  tapes: ReadonlyMap<string, TapeItem>,
  mode: FidelityMode | undefined,
): Promise<ComparisonParts | null> {
  const [first, second] = [...tapes]
  if (first === undefined || second === undefined) return null
  return await comparisonParts(await comparedTape(...first), await comparedTape(...second), mode)
}

async function comparedTape(item: string, tape: TapeItem): Promise<ComparedTape> {
  const metadata = tape.metadata()
  const { rows } = await tape.view().rows({ filter: { phase: 'runtime_finalize' }, from: 0, count: 1 })
  return { item, path: tape.path, metadata, finalizeRow: rows[0]?.row ?? metadata.rows }
}

function sourceOf(
  document: ViewerDocument,
  {
    tapes,
    cassettes,
    audits,
    states,
    comparison,
  }: Pick<OpenViewer, 'tapes' | 'cassettes' | 'audits' | 'states' | 'comparison'>,
  listeners: Set<(event: FollowEvent) => void>,
): ViewerSource {
  const tape = (item: string) => found(tapes, item, 'tape').view()
  const cassette = (item: string) => {
    const { parts, output } = found(cassettes, item, 'cassette')
    return createCassetteView(parts, async (from, to) => output.subarray(from, to))
  }
  const audit = (item: string) => {
    const { parts, momentAt } = found(audits, item, 'journal')
    return createAuditView(parts, momentAt)
  }
  const state = (item: string) => found(states, item, 'state folder').view
  const compareView = (): ComparisonView => {
    if (comparison === null) throw problem('no-comparison', 'two tapes are needed for a comparison')
    return createComparisonView(
      comparison,
      tape(comparison.document.recorded),
      tape(comparison.document.replayed),
    )
  }
  return {
    document: async () => document,
    overview: async (item) => await tape(item).overview(),
    rows: async (item, request) => await tape(item).rows(request),
    position: async (item, request) => await tape(item).position(request),
    buckets: async (item, request) => await tape(item).buckets(request),
    spans: async (item, request) => await tape(item).spans(request),
    details: async (item, row) => await tape(item).details(row),
    search: async (item, request) => await tape(item).search(request),
    nextFinding: async (item, row, direction) => await tape(item).nextFinding(row, direction),
    rowOfSeq: async (item, seq) => await tape(item).rowOfSeq(seq),
    payload: async (item, ref, from, to) => await tape(item).payload(ref, from, to),
    comparison: async () => await compareView().comparison(),
    aligned: async (request) => await compareView().aligned(request),
    comparisonFinding: async (number) => await compareView().comparisonFinding(number),
    cassette: async (item) => await cassette(item).cassette(),
    cassetteChunks: async (item, from) => await cassette(item).cassetteChunks(from),
    cassetteFrames: async (item, from, count) => await cassette(item).cassetteFrames(from, count),
    cassetteOutput: async (item, from, to) => await cassette(item).cassetteOutput(from, to),
    cassetteSearch: async (item, text) => await cassette(item).cassetteSearch(text),
    audit: async (item) => await audit(item).audit(),
    auditEntries: async (item, request) => await audit(item).auditEntries(request),
    auditAt: async (item, index) => await audit(item).auditAt(index),
    state: async (item) => await state(item).state(),
    stateSession: async (item, session) => await state(item).stateSession(session),
    stateHistory: async (item, session, key) => await state(item).stateHistory(session, key),
    follow(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}

function found<T>(items: ReadonlyMap<string, T>, item: string, what: string): T {
  const value = items.get(item)
  if (value === undefined)
    throw problem('item-missing', `there is no ${what} ${JSON.stringify(item)} in this viewer`)
  return value
}

function problem(code: string, message: string): ViewerProblem {
  return new ViewerProblem({ code, message, hint: null })
}
