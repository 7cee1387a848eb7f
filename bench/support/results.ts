/** The table of all benchmarks: bench/results.json, and docs/benchmarks.md, which is written from it. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus, loadavg } from 'node:os'
import type { Row } from '../measure.ts'

const json = new URL('../results.json', import.meta.url)
const page = new URL('../../docs/benchmarks.md', import.meta.url)

export type Machine = {
  readonly date: string
  readonly node: string
  readonly cores: number
  readonly load: number
}
export type PartResult = { readonly name: string; readonly machine: Machine; readonly rows: readonly Row[] }

export function thisMachine(): Machine {
  return {
    date: new Date().toISOString().slice(0, 10),
    node: process.version,
    cores: cpus().length,
    load: round(loadavg()[0] ?? 0),
  }
}

/** Replaces the parts that were measured now. A part without rows, or without a file, is dropped. */
export function storeResults(measured: readonly PartResult[], known: readonly string[]): void {
  const before: PartResult[] = existsSync(json) ? JSON.parse(readFileSync(json, 'utf8')).parts : []
  const parts = new Map([...before, ...measured].map((part) => [part.name, part]))
  const kept = known.flatMap((name) => parts.get(name) ?? []).filter(({ rows }) => rows.length > 0)
  const rounded = JSON.stringify(
    { parts: kept },
    (_key, value) => (typeof value === 'number' ? round(value) : value),
    2,
  )
  writeFileSync(json, `${rounded}\n`)
  writeFileSync(page, pageOf(kept))
}

export function printTable(parts: readonly PartResult[]): void {
  for (const { name, rows } of parts) {
    if (rows.length === 0) continue
    console.log(`\n${name}`)
    for (const row of rows)
      console.log(
        `  ${row.what.padEnd(70)} ${cells(row)
          .slice(1)
          .map((cell) => cell.padEnd(12))
          .join(' ')}`,
      )
  }
}

function pageOf(parts: readonly PartResult[]): string {
  const missed = parts.flatMap(({ rows }) => rows.filter(({ isReached }) => !isReached))
  const all = parts.flatMap(({ rows }) => rows)
  return [
    '# Benchmarks',
    '',
    '`npm run bench` measures every part and writes this page and `bench/results.json`; `npm run bench -- chat` measures one',
    'part and replaces its rows. Candidates take turns in one run, and medians decide. Ratios of processor time count user and',
    'system time of all processes. *Floor* is the least that the same work costs without Reprise. Peers have fixed versions:',
    '`bench/peers/*/package.json` and `package.json`. A replay runs as `reprise replay` runs it: its second recording is',
    'compared and not written.',
    '',
    `${all.length - missed.length} of ${all.length} goals are reached.`,
    '',
    ...parts.flatMap(({ name, machine, rows }) => [
      `## ${name}`,
      '',
      `${machine.date}, Node ${machine.node.slice(1)}, ${machine.cores} cores, load ${machine.load} at the start.`,
      '',
      '| measure | ours | floor | peers | ratio | goal | reached |',
      '| --- | --- | --- | --- | --- | --- | --- |',
      ...rows.map((row) => `| ${cells(row).join(' | ')} |`),
      '',
      ...rows
        .filter(({ isReached }) => !isReached)
        .map(({ what, why }) => `- *${what}*: ${why ?? 'not reached; the cause is not known yet.'}`),
      ...(rows.some(({ isReached }) => !isReached) ? [''] : []),
    ]),
  ]
    .join('\n')
    .replace(/\n+$/, '\n')
}

function cells(row: Row): string[] {
  const unit = row.unit === undefined ? '' : ` ${row.unit.replace(' of processor time', '')}`
  const figure = (value: number | undefined): string => (value === undefined ? '' : `${shown(value)}${unit}`)
  return [
    row.what,
    figure(row.ours),
    figure(row.floor),
    Object.entries(row.peers ?? {})
      .map(([name, value]) => `${name} ${shown(value)}`)
      .join(', '),
    shown(row.ratio),
    `${row.direction === 'at most' ? '≤' : '≥'} ${shown(row.goal)}`,
    row.isReached ? 'yes' : '**no**',
  ]
}

function shown(value: number): string {
  return round(value).toLocaleString('en')
}

/** Three digits that mean something. */
function round(value: number): number {
  return Math.abs(value) >= 100 ? Math.round(value) : Number(value.toPrecision(3))
}
