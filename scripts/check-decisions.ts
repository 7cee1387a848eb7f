/**
 * Checks the decision records: number and title, status, a code file that exists and cites the record, and
 * the index `docs/decisions/README.md`. `--write` writes the index. Prints one line per offence, exits 1.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

type Decision = {
  readonly file: string
  readonly number: string
  readonly title: string
  readonly status: string
}

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..')
const folder = join(root, 'docs/decisions')
const index = join(folder, 'README.md')
const offences: string[] = []
const FORM = 'the first lines are "# NNNN Title", an empty line, "Status: accepted. Code: `path`."'

const decisions = readdirSync(folder)
  .filter((file) => /^\d{4}-.*\.md$/.test(file))
  .sort()
  .map(read)
const numbers = new Map<string, string>()
for (const { file, number } of decisions) {
  const other = numbers.get(number)
  if (other !== undefined) offences.push(`docs/decisions/${file}: ${number} is also the number of ${other}`)
  numbers.set(number, file)
}
checkCitations()
const wanted = indexText()
if (process.argv.includes('--write')) writeFileSync(index, wanted)
else if (!existsSync(index) || readFileSync(index, 'utf8') !== wanted)
  offences.push('docs/decisions/README.md is not up to date: run npx tsx scripts/check-decisions.ts --write')
for (const offence of offences) console.error(offence)
console.log(
  offences.length === 0
    ? `decisions: ${decisions.length}, in order`
    : `decisions: ${offences.length} offence(s)`,
)
process.exitCode = offences.length === 0 ? 0 : 1

function read(file: string): Decision {
  const [first = '', , third = ''] = readFileSync(join(folder, file), 'utf8').split('\n')
  const [, number = '', title = ''] = /^# (\d{4}) (\S.*)$/.exec(first) ?? []
  if (number === '' || !file.startsWith(`${number}-`)) offences.push(`docs/decisions/${file}: ${FORM}`)
  const status = /^Status: (accepted|superseded by \d{4})\.( Code: `[^`]+`\.)?$/.exec(third)
  if (status === null) offences.push(`docs/decisions/${file}: ${FORM}`)
  else if (status[1] === 'accepted') checkCode(file, number, /Code: `([^`]+)`/.exec(third)?.[1])
  return { file, number, title, status: third }
}

function checkCode(file: string, number: string, path: string | undefined): void {
  if (path === undefined || !existsSync(join(root, path))) {
    offences.push(`docs/decisions/${file}: the code file ${path ?? '(none)'} does not exist`)
    return
  }
  // JSON has no comments.
  if (path.endsWith('.json')) return
  const text = readFileSync(join(root, path), 'utf8')
  if (!new RegExp(`[Dd]ecisions? (\\d{4}(,| and) )*${number}\\b`).test(text))
    offences.push(`${path}: add "Decision ${number}." to its first comment (docs/decisions/${file} names it)`)
}

function checkCitations(): void {
  const paths = readdirSync(join(root, 'src'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
  for (const path of paths)
    for (const [text] of readFileSync(path, 'utf8').matchAll(/[Dd]ecisions? \d{4}((,| and) \d{4})*/g))
      for (const [number] of text.matchAll(/\d{4}/g))
        if (!numbers.has(number)) offences.push(`${relative(root, path)}: decision ${number} does not exist`)
}

/** By the folder of the code, oldest first. */
function indexText(): string {
  const byFolder = new Map<string, Decision[]>()
  for (const decision of decisions) {
    const path = /Code: `([^`]+)`/.exec(decision.status)?.[1] ?? ''
    const [top = '', second] = path.split('/')
    const key = path === '' ? 'superseded' : top === 'src' ? `src/${second ?? ''}` : 'build and benchmarks'
    byFolder.set(key, [...(byFolder.get(key) ?? []), decision])
  }
  const sections = [...byFolder].sort(([a], [b]) => (a < b ? 1 : -1)).reverse()
  return [
    '# Decisions\n',
    'One page each: the decision, the reason, what was rejected. The code that a record explains cites its number.\n',
    ...sections.map(([name, list]) =>
      [`## ${name}\n`, ...list.map(({ file, number, title }) => `- [${number}](${file}) ${title}`), ''].join(
        '\n',
      ),
    ),
  ].join('\n')
}
