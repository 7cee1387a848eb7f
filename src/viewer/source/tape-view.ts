/**
 * Everything that the page asks of one tape, from an index and ranges of files. The same code runs in the
 * server, and in the page for bundles and exports. Holds a few selections and blocks; memory does not grow
 * with the tape.
 */
import type { IndexMetadata } from '../layout/metadata.ts'
import type { ViewerFinding } from '../protocol/findings.ts'
import { type RowFilter, WINDOW_ROWS } from '../protocol/rows.ts'
import type { ItemMethods } from '../protocol/source.ts'
import { ViewerProblem } from '../protocol/transport.ts'
import type { TapeFiles } from '../read/access.ts'
import { payloadRange } from '../read/contents.ts'
import { rowDetails } from '../read/details/row-details.ts'
import { listRows } from '../read/lines.ts'
import { type Found, hitIn, searchRows } from '../read/search.ts'
import { type Selection, selectionOfList, selectRows } from '../read/selection.ts'
import { createIndexReader } from '../read/tape-index.ts'
import { bucketsOf, spansOf } from '../read/timeline.ts'

type TapeMethod =
  | 'overview'
  | 'rows'
  | 'position'
  | 'buckets'
  | 'spans'
  | 'details'
  | 'search'
  | 'nextFinding'
  | 'rowOfSeq'
  | 'payload'

/** The methods of a source that are about one tape, without its name. */
export type TapeView = ItemMethods<TapeMethod>

const MAX_KEPT = 8

export function createTapeView(
  files: TapeFiles,
  metadata: IndexMetadata,
  cassetteItem: (name: string) => string | null,
): TapeView {
  const index = createIndexReader(files, metadata)
  const selections = new Map<string, Promise<Selection>>()
  const searches = new Map<string, Promise<Found>>()

  const search = (text: string): Promise<Found> => kept(searches, text, () => searchRows(index, text))
  const select = ({ text, ...filter }: RowFilter): Promise<Selection> =>
    kept(selections, JSON.stringify([text ?? '', filter]), async () => {
      if (text === undefined || text === '') return await selectRows(index, filter)
      const found = await search(text)
      return await selectionOfList(index, found.rows, found.capped, filter)
    })

  return {
    overview: async () => metadata.overview,
    async rows({ filter, from, count }) {
      const selection = await select(filter)
      const start = Math.max(0, Math.floor(from))
      const numbers = await selection.rows(start, Math.max(0, Math.min(WINDOW_ROWS, Math.floor(count))))
      return {
        total: selection.total,
        capped: selection.capped,
        from: start,
        rows: await listRows(index, numbers),
      }
    },
    position: async ({ filter, row }) => await (await select(filter)).position(row),
    buckets: (request) => bucketsOf(index, request),
    spans: (request) => spansOf(index, request),
    async details(row) {
      const entry = await index.row(row)
      if (entry === null) throw problem('row-missing', `there is no row ${row}`)
      return await rowDetails(index, row, entry, cassetteItem)
    },
    async search({ text, from, count, filter }) {
      const selection = await select({ ...filter, text })
      const start = Math.max(0, Math.floor(from))
      const numbers = await selection.rows(start, Math.max(0, Math.min(WINDOW_ROWS, Math.floor(count))))
      const rows = await listRows(index, numbers)
      const hits = await Promise.all(
        rows.map(async (row) => {
          const entry = await index.row(row.row)
          const hit = entry === null ? null : await hitIn(index, entry, text)
          return hit === null ? [] : [{ row, ...hit }]
        }),
      )
      return {
        total: text === '' ? 0 : selection.total,
        capped: selection.capped,
        from: start,
        hits: hits.flat(),
      }
    },
    async nextFinding(row, direction) {
      const listed = nearest(metadata.overview.findings.findings, row, direction)
      const selection = await select({ lanes: ['findings'] })
      const { position, matches } = await selection.position(row)
      const at = direction === 1 ? position + (matches ? 1 : 0) : position - 1
      const [next] = at < 0 ? [] : await selection.rows(at, 1)
      if (next === undefined) return listed
      if (listed?.row != null && (listed.row - next) * direction <= 0) return listed
      const [shown] = await listRows(index, [next])
      return shown === undefined
        ? listed
        : { code: shown.kind, severity: 'fault', row: next, line: null, message: shown.title, hint: null }
    },
    rowOfSeq: (seq) => index.rowOfSeq(seq),
    async payload(ref, from, to) {
      const bytes = await payloadRange(index, ref, from, to)
      if (bytes === null) throw problem('payload-missing', 'this payload is not part of the tape')
      return bytes
    },
  }
}

function nearest(findings: readonly ViewerFinding[], row: number, direction: 1 | -1): ViewerFinding | null {
  let best: ViewerFinding | null = null
  for (const finding of findings) {
    if (finding.row === null || (finding.row - row) * direction <= 0) continue
    if (best?.row == null || (finding.row - best.row) * direction < 0) best = finding
  }
  return best
}

function kept<T>(map: Map<string, Promise<T>>, key: string, make: () => Promise<T>): Promise<T> {
  const known = map.get(key)
  const value = known ?? make()
  map.delete(key)
  map.set(key, value)
  const [oldest] = map.keys()
  if (map.size > MAX_KEPT && oldest !== undefined) map.delete(oldest)
  return value
}

function problem(code: string, message: string): ViewerProblem {
  return new ViewerProblem({ code, message, hint: null })
}
