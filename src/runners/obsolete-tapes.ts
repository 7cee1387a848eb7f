/** Tapes next to a test file that none of its tests uses: listed, and removed if the runner updates. */
import { basename, dirname, join, relative } from 'node:path'
import { fs } from '../real/fs.ts'
import { realCwd } from '../real/process.ts'
import { removeTape } from '../tape/writer.ts'
import { tapeOfTest } from '../testbench/index.ts'

/** `names` are those of the tests, `named` the absolute paths of tapes that tests name themselves. */
export function listObsoleteTapes(
  file: string,
  names: readonly string[],
  named: ReadonlySet<string>,
  isUpdating: boolean,
): void {
  const folder = join(dirname(file), '__tapes__', basename(file))
  if (!fs.existsSync(folder)) return
  const used = new Set(names.map((name) => basename(tapeOfTest(file, name))))
  const obsolete = fs
    .readdirSync(folder)
    .filter((name) => name.endsWith('.tape') && !used.has(name) && !named.has(join(folder, name)))
  if (obsolete.length === 0) return
  const paths = obsolete.map((name) => join(folder, name))
  if (isUpdating) for (const path of paths) removeTape(path)
  const shown = paths.map((path) => relative(realCwd(), path)).join(', ')
  const what = obsolete.length === 1 ? '1 obsolete tape' : `${obsolete.length} obsolete tapes`
  const sentence = isUpdating ? `removed ${what}` : `${what} (-u removes)`
  process.stderr.write(`reprise: ${sentence}: ${shown}\n`)
}
