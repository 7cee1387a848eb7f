/**
 * `npm run bench -- tape`: runs bench/tape.ts. Without a name, all of them. Figures are ratios measured in
 * one run. The rows of a part replace its rows in bench/results.json; docs/benchmarks.md is written from that.
 */
import { existsSync, readdirSync } from 'node:fs'
import { takeRows } from './measure.ts'
import { type PartResult, printTable, storeResults, thisMachine } from './support/results.ts'

const folder = new URL('.', import.meta.url)
const names = process.argv.slice(2)
const known = readdirSync(folder)
  .filter((file) => file.endsWith('.ts') && file !== 'run.ts' && file !== 'measure.ts')
  .map((file) => file.replace(/\.ts$/, ''))

const results: PartResult[] = []
for (const name of names.length > 0 ? names : known) {
  const file = new URL(`${name}.ts`, folder)
  if (!existsSync(file)) {
    console.error(`no such benchmark: ${name} (there are: ${known.join(', ')})`)
    process.exitCode = 64
    continue
  }
  console.log(`\n# ${name}`)
  const machine = thisMachine()
  const { bench }: { bench(): Promise<void> } = await import(file.href)
  try {
    await bench()
    results.push({ name, machine, rows: takeRows() })
  } catch (error) {
    // The other parts still run; the rows of this one stay as they were measured before.
    takeRows()
    console.error(`${name} was not measured: ${error instanceof Error ? error.stack : String(error)}`)
    process.exitCode = 1
  }
}
printTable(results)
storeResults(results, known)
