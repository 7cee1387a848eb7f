/**
 * Checks the source against the layer table of docs/architecture.md: who may import whom, no cycles of files
 * or folders, no Node I/O, clock or random function named outside `src/real`, and who may name `fromDisk` and
 * `fromReprise`. Prints one line per offence and exits 1.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { checkLayers } from './layers/check.ts'
import { SCRUBBED_MAKERS } from './layers/scrubbed-makers.ts'

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..')
const paths = readdirSync(join(root, 'src'), { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
  .map((entry) => join(entry.parentPath, entry.name))
  .sort()
const offences = checkLayers({
  files: new Map(
    paths.map((path) => [relative(root, path).replaceAll('\\', '/'), readFileSync(path, 'utf8')]),
  ),
  architecture: readFileSync(join(root, 'docs/architecture.md'), 'utf8'),
  scrubbedMakers: SCRUBBED_MAKERS,
})
for (const offence of offences) console.error(offence)
console.log(offences.length === 0 ? 'layers: in order' : `layers: ${offences.length} offence(s)`)
process.exitCode = offences.length === 0 ? 0 : 1
