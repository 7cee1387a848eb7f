/**
 * Two tapes side by side, from the runs of the alignment: a run gives the number of rows that are equal on
 * both sides, or names the one pair or row that differs. A window of aligned rows is found in the runs by
 * bisection.
 */
import type {
  AlignedRow,
  AlignedState,
  ComparisonDocument,
  ComparisonFinding,
} from '../protocol/comparison.ts'
import type { Row } from '../protocol/rows.ts'
import { WINDOW_ROWS } from '../protocol/rows.ts'
import type { ViewerSource } from '../protocol/source.ts'
import { ViewerProblem } from '../protocol/transport.ts'
import type { TapeView } from './tape-view.ts'

/**
 * `count` is 1 for a run that is not `same`. Row numbers are those of the first pair; -1 for the side that
 * has no row.
 */
export type AlignedRun = {
  readonly state: AlignedState
  readonly recorded: number
  readonly replayed: number
  readonly count: number
  readonly finding: number | null
}

export type ComparisonParts = {
  readonly document: ComparisonDocument
  readonly runs: readonly AlignedRun[]
  readonly findings: readonly ComparisonFinding[]
}

export type ComparisonView = Pick<ViewerSource, 'comparison' | 'aligned' | 'comparisonFinding'>

export function createComparisonView(
  parts: ComparisonParts,
  recorded: TapeView,
  replayed: TapeView,
): ComparisonView {
  const all = withPositions(parts.runs)
  const different = all.filter(({ run }) => run.state !== 'same')
  return {
    comparison: async () => parts.document,
    async aligned({ from, count, show }) {
      const start = Math.max(0, Math.floor(from))
      const most = Math.max(0, Math.min(WINDOW_ROWS, Math.floor(count)))
      const places =
        show === 'all'
          ? placesFrom(all, start, most)
          : different.slice(start, start + most).map(({ run, position }) => placeOf(run, position, 0))
      const [left, right] = await Promise.all([
        rowsOf(
          recorded,
          places.map((place) => place.recorded),
        ),
        rowsOf(
          replayed,
          places.map((place) => place.replayed),
        ),
      ])
      const rows: AlignedRow[] = places.map(({ position, state, finding, recorded: a, replayed: b }) => ({
        position,
        state,
        recorded: left.get(a) ?? null,
        replayed: right.get(b) ?? null,
        finding,
      }))
      return { total: show === 'all' ? parts.document.alignedRows : different.length, from: start, rows }
    },
    async comparisonFinding(number) {
      const finding = parts.findings[number]
      if (finding !== undefined) return finding
      throw new ViewerProblem({
        code: 'finding-missing',
        message: `there is no finding ${number}`,
        hint: null,
      })
    },
  }
}

type Placed = { readonly run: AlignedRun; readonly position: number }
type PairPlace = {
  readonly position: number
  readonly state: AlignedState
  readonly finding: number | null
  readonly recorded: number
  readonly replayed: number
}

function withPositions(runs: readonly AlignedRun[]): Placed[] {
  let position = 0
  return runs.map((run) => {
    const placed = { run, position }
    position += run.count
    return placed
  })
}

function placesFrom(all: readonly Placed[], from: number, count: number): PairPlace[] {
  let [low, high] = [0, all.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    const placed = all[middle]
    if (placed !== undefined && placed.position + placed.run.count <= from) low = middle + 1
    else high = middle
  }
  const places: PairPlace[] = []
  for (let at = low; at < all.length && places.length < count; at += 1) {
    const placed = all[at]
    if (placed === undefined) break
    const first = Math.max(0, from - placed.position)
    for (let step = first; step < placed.run.count && places.length < count; step += 1)
      places.push(placeOf(placed.run, placed.position, step))
  }
  return places
}

function placeOf(
  { state, recorded, replayed, finding }: AlignedRun,
  position: number,
  step: number,
): PairPlace {
  const row = (first: number): number => (first < 0 ? -1 : first + step)
  return { position: position + step, state, finding, recorded: row(recorded), replayed: row(replayed) }
}

/** Rows by number. Neighbours come in one window. */
async function rowsOf(tape: TapeView, numbers: readonly number[]): Promise<Map<number, Row>> {
  const found = new Map<number, Row>()
  const wanted = [...new Set(numbers)].filter((row) => row >= 0).sort((a, b) => a - b)
  for (let at = 0; at < wanted.length; ) {
    const first = wanted[at] ?? 0
    const { rows } = await tape.rows({ filter: {}, from: first, count: WINDOW_ROWS })
    for (const row of rows) found.set(row.row, row)
    while (at < wanted.length && (wanted[at] ?? 0) < first + WINDOW_ROWS) at += 1
  }
  return found
}
