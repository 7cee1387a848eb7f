/**
 * Writes src/cassette/terminal/width-ranges.ts from the data of Unicode 14: npm `meaw` has the East Asian
 * widths, npm `@unicode/unicode-14.0.0` the general categories. `--check` only compares and exits 1 if the
 * file differs.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { eawVersion } from 'meaw'
import { widthTableText } from './width-table.ts'

const path = new URL('../src/cassette/terminal/width-ranges.ts', import.meta.url)
if (eawVersion !== '14.0.0') throw new Error(`meaw has the widths of Unicode ${eawVersion}, not of 14.0.0`)
const text = widthTableText()
if (!process.argv.includes('--check')) writeFileSync(path, text)
else if (readFileSync(path, 'utf8') !== text) {
  console.error(
    'src/cassette/terminal/width-ranges.ts is not what scripts/write-width-table.ts writes; run it',
  )
  process.exitCode = 1
}
