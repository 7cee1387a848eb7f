/**
 * Compares two recordings by what a person at the terminal saw: the screen before each thing that was typed,
 * and the last one, with times, ids and the like normalised. What flickers by between two keystrokes depends
 * on the machine, and is not compared.
 */

import type { CassetteReader } from './reader/reader.ts'
import { createTextScrubber, type TextScrubber } from './scrub/text-scrubber.ts'
import { momentsOf, replayMoments } from './terminal/moments.ts'

export type ScreenDifference = {
  /** What came next: `typed "ls\r"`, `resize`, `the end`. */
  readonly before: string
  readonly a: readonly string[] | null
  readonly b: readonly string[] | null
  /** Rows that differ, from 1. */
  readonly rows: readonly number[]
}

export type CassetteDiff = {
  readonly same: boolean
  readonly screens: readonly [number, number]
  readonly exit: { readonly a: string; readonly b: string; readonly same: boolean }
  readonly differences: readonly ScreenDifference[]
}

export async function diffCassettes(
  a: CassetteReader,
  b: CassetteReader,
  scrubber: TextScrubber = createTextScrubber(),
): Promise<CassetteDiff> {
  const [left, right] = [await checkpoints(a, scrubber), await checkpoints(b, scrubber)]
  const differences: ScreenDifference[] = []
  const compare = (one: Checkpoint | undefined, two: Checkpoint | undefined): void => {
    const rows = differingRows(one?.rows ?? null, two?.rows ?? null)
    if (one !== undefined && two !== undefined && rows.length === 0 && one.before === two.before) return
    differences.push({
      before: one?.before ?? two?.before ?? '',
      a: one?.rows ?? null,
      b: two?.rows ?? null,
      rows,
    })
  }
  // The ends belong together, however many inputs came before.
  for (let at = 0; at < Math.max(left.length, right.length) - 1; at += 1) {
    compare(at < left.length - 1 ? left[at] : undefined, at < right.length - 1 ? right[at] : undefined)
  }
  compare(left.at(-1), right.at(-1))
  const exit = { a: exitOf(a), b: exitOf(b), same: exitOf(a) === exitOf(b) }
  return {
    same: differences.length === 0 && exit.same,
    screens: [left.length, right.length],
    exit,
    differences,
  }
}

type Checkpoint = { readonly before: string; readonly rows: readonly string[] }

async function checkpoints(reader: CassetteReader, scrubber: TextScrubber): Promise<readonly Checkpoint[]> {
  const typed = reader.inputs().filter((input) => !input.reply)
  const inputs = new Map(
    typed.map((input) => [
      input.seq,
      `${input.kind} ${JSON.stringify(Buffer.from(input.bytes ?? []).toString('utf8'))}`,
    ]),
  )
  const moments = [
    ...momentsOf(reader.events()).filter((moment) => moment.kind !== 'look'),
    ...[...inputs.keys()].map((seq) => ({ kind: 'look', seq: seq - 0.5, tMs: 0 }) as const),
    { kind: 'look', seq: Number.POSITIVE_INFINITY, tMs: 0 } as const,
  ].sort((x, y) => x.seq - y.seq)
  const { initialRows, initialCols } = reader.manifest().terminal
  const found: Checkpoint[] = []
  await replayMoments(
    reader.rawOutput(),
    moments,
    { rows: initialRows || 24, cols: initialCols || 80 },
    (moment, terminal) => {
      if (moment.kind !== 'look') return
      const rows = terminal.rows().map((row) => scrubber.normalizeVolatile(row.text.trimEnd()))
      found.push({ before: inputs.get(moment.seq + 0.5) ?? 'the end', rows })
    },
  )
  return found
}

function differingRows(a: readonly string[] | null, b: readonly string[] | null): readonly number[] {
  if (a === null || b === null) return []
  return Array.from({ length: Math.max(a.length, b.length) }, (_, at) => at + 1).filter(
    (row) => (a[row - 1] ?? '') !== (b[row - 1] ?? ''),
  )
}

function exitOf(reader: CassetteReader): string {
  const { exit } = reader.final()
  if (exit === null) return 'unknown'
  return exit.signaled ? `signal ${exit.signal}` : `code ${exit.code}`
}
