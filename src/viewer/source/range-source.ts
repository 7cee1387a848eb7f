/**
 * The viewer's data from files read in ranges: a bundle behind any web server, or the parts of an exported
 * page. Nothing of Node in it.
 */
import {
  AUDIT_FILE,
  CASSETTE_FILE,
  COMPARISON_FILE,
  DOCUMENT_FILE,
  OUTPUT_FILE,
  STATE_FILE,
} from '../layout/bundle-files.ts'
import { INDEX_FILES, type IndexMetadata } from '../layout/metadata.ts'
import type { AuditMoment } from '../protocol/audit.ts'
import type { RangeAccess, ViewerDocument, ViewerSource } from '../protocol.ts'
import { ViewerProblem } from '../protocol.ts'
import { inFolder, readWhole } from '../read/access.ts'
import { type AuditParts, type AuditView, createAuditView } from './audit-view.ts'
import { type CassetteParts, type CassetteView, createCassetteView } from './cassette-view.ts'
import { type ComparisonParts, type ComparisonView, createComparisonView } from './comparison-view.ts'
import type { StateParts } from './state-parts.ts'
import { createTapeView, type TapeView } from './tape-view.ts'

/** Of a journal, the moments are stored; between two of them the earlier one is shown. */
export type StoredAudit = AuditParts & { readonly moments: readonly AuditMoment[] }

export function createRangeSource(files: RangeAccess): ViewerSource {
  const json = async <T>(name: string): Promise<T> => {
    const bytes = await readWhole(files, name)
    if (bytes === null) throw problem('part-missing', `${name} is not part of this export`)
    return JSON.parse(new TextDecoder().decode(bytes))
  }
  const document = once(() => json<ViewerDocument>(DOCUMENT_FILE))
  const tape = perItem<TapeView>(async (item) => {
    const metadata = await json<IndexMetadata>(`${item}/${INDEX_FILES.metadata}`)
    const { items } = await document()
    const cassetteItem = (name: string): string | null =>
      items.some(({ id }) => id === `${item}.${name}`) ? `${item}.${name}` : null
    return createTapeView(inFolder(files, item), metadata, cassetteItem)
  })
  const cassette = perItem<CassetteView>(async (item) => {
    const parts = await json<CassetteParts>(`${item}/${CASSETTE_FILE}`)
    return createCassetteView(parts, (from, to) => files.read(`${item}/${OUTPUT_FILE}`, from, to))
  })
  const audit = perItem<AuditView>(async (item) => {
    const { moments, ...parts } = await json<StoredAudit>(`${item}/${AUDIT_FILE}`)
    return createAuditView(parts, async (index) => {
      const moment = moments.findLast((each) => each.index <= index) ?? moments[0]
      if (moment === undefined) throw problem('part-missing', 'this export holds no moments of the journal')
      return moment
    })
  })
  const state = perItem<StateParts>((item) => json<StateParts>(`${item}/${STATE_FILE}`))
  const comparison = once<ComparisonView>(async () => {
    const parts = await json<ComparisonParts>(COMPARISON_FILE)
    return createComparisonView(
      parts,
      await tape(parts.document.recorded),
      await tape(parts.document.replayed),
    )
  })
  const session = async (item: string, name: string): Promise<StateParts['sessions'][number]> => {
    const found = (await state(item)).sessions.find(({ session }) => session.session === name)
    if (found === undefined)
      throw problem('session-missing', `there is no session ${JSON.stringify(name)} in this export`)
    return found
  }
  return {
    document,
    overview: async (item) => (await tape(item)).overview(),
    rows: async (item, request) => (await tape(item)).rows(request),
    position: async (item, request) => (await tape(item)).position(request),
    buckets: async (item, request) => (await tape(item)).buckets(request),
    spans: async (item, request) => (await tape(item)).spans(request),
    details: async (item, row) => (await tape(item)).details(row),
    search: async (item, request) => (await tape(item)).search(request),
    nextFinding: async (item, row, direction) => (await tape(item)).nextFinding(row, direction),
    rowOfSeq: async (item, seq) => (await tape(item)).rowOfSeq(seq),
    payload: async (item, ref, from, to) => (await tape(item)).payload(ref, from, to),
    comparison: async () => (await comparison()).comparison(),
    aligned: async (request) => (await comparison()).aligned(request),
    comparisonFinding: async (number) => (await comparison()).comparisonFinding(number),
    cassette: async (item) => (await cassette(item)).cassette(),
    cassetteChunks: async (item, from) => (await cassette(item)).cassetteChunks(from),
    cassetteFrames: async (item, from, count) => (await cassette(item)).cassetteFrames(from, count),
    cassetteOutput: async (item, from, to) => (await cassette(item)).cassetteOutput(from, to),
    cassetteSearch: async (item, text) => (await cassette(item)).cassetteSearch(text),
    audit: async (item) => (await audit(item)).audit(),
    auditEntries: async (item, request) => (await audit(item)).auditEntries(request),
    auditAt: async (item, index) => (await audit(item)).auditAt(index),
    state: async (item) => (await state(item)).document,
    stateSession: async (item, name) => (await session(item, name)).session,
    stateHistory: async (item, name, key) =>
      (await session(item, name)).histories.find((each) => each.key === key)?.versions ?? [],
    follow: () => () => undefined,
  }
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let value: Promise<T> | null = null
  return () => {
    value ??= make()
    return value
  }
}

function perItem<T>(make: (item: string) => Promise<T>): (item: string) => Promise<T> {
  const made = new Map<string, Promise<T>>()
  return (item) => {
    const known = made.get(item) ?? make(item)
    made.set(item, known)
    return known
  }
}

function problem(code: string, message: string): ViewerProblem {
  return new ViewerProblem({ code, message, hint: null })
}
