/**
 * Lowers the counts of control sequences that the emulator carries out one by one: `CSI 2147483647 b`, in a stream of
 * any program or in a cassette of somebody else, keeps it busy without end, or takes all memory. The screen is the
 * same: after as many lines, columns or characters as it has, a further one changes nothing.
 */
import type { Terminal as Xterm } from '@xterm/headless'

/** By the last character of the sequence. */
const MOST: Readonly<Record<string, (count: number, rows: number, cols: number) => number>> = {
  // insert and delete lines, scroll up and down
  L: atMostRows,
  M: atMostRows,
  S: atMostRows,
  T: atMostRows,
  // tabs forward and back
  I: (count, _rows, cols) => Math.min(count, cols),
  Z: (count, _rows, cols) => Math.min(count, cols),
  // The same character again: it fills the screen, and the cursor must end in the same column.
  b: (count, rows, cols) => {
    const period = repeatsToSameColumn(cols)
    const least = Math.ceil((rows * cols) / period) * period
    return count <= Math.max(least + period, MOST_REPEATED) ? count : least + (count % period)
  },
}

/** Above this, lines that leave the screen are not kept all. */
const MOST_REPEATED = 10_000
/** No terminal is wider; in one that is, wide characters may end in another column. */
const WIDEST = 1000

type Parameters = { readonly params: { [index: number]: number } }
type Core = {
  registerCsiHandler(id: { final: string }, handler: (parameters: Parameters) => boolean): unknown
}

export function boundCounts(terminal: Xterm): void {
  // The public method passes a copy of the parameters, so the emulator would still use the large count.
  const core: unknown = Reflect.get(terminal, '_core')
  if (!hasHandlers(core)) return
  for (const [final, most] of Object.entries(MOST))
    core.registerCsiHandler({ final }, ({ params }) => {
      const count = params[0] ?? 0
      if (count > 1) params[0] = most(count, terminal.rows, terminal.cols)
      // Not handled: the emulator carries it out.
      return false
    })
}

/** After so many more characters, narrow or wide, the cursor is in the same column: a row has cols or half of them. */
function repeatsToSameColumn(cols: number): number {
  const isOdd = cols % 2 === 1 && cols > 1 && cols <= WIDEST
  return isOdd ? (cols * (cols - 1)) / 2 : cols
}

function atMostRows(count: number, rows: number): number {
  return Math.min(count, rows)
}

function hasHandlers(value: unknown): value is Core {
  return (
    typeof value === 'object' &&
    value !== null &&
    'registerCsiHandler' in value &&
    typeof value.registerCsiHandler === 'function'
  )
}
