/**
 * Keeps the words that the house style rules out from coming back: in the names of `src`, and in the
 * comments, messages and pages of the places listed in `PROSE`. Prints one line per offence and exits 1.
 *
 * Decision 0342.
 */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..')

/** Parts of camelCase names. */
const NAME_PARTS = /^(tell|tells|told|telling|say|says|said|vain|yardstick|nobody|whoever)$/i
const NAMES = /\b(could[N]ot|own[W]ords)\b/

const PHRASES =
  /\b(told|tells?|telling|says?|said|saying|by itself|whoever|in vain|at one go|on the spot|stands? (for|in|there|beside|again|on|before|behind)|stood|beside|looked at|looks at|asked for|hand(s|ed|ing)? (over|out|on)|is no \w+ of|nobody)\b/i

/** Where prose is checked: files and folders. */
const PROSE = ['README.md', 'SKILL.md', 'SECURITY.md', 'CHANGELOG.md', 'docs', 'src']

/** Files that contain the words as data: a list of common words, and texts about the words themselves. */
const QUOTING = /(\/scrub\/common-words\.ts|\/decisions\/(0342-.*|language-before-and-after)\.md)$/

const offences: string[] = []
for (const path of filesIn('src')) checkNames(path)
for (const place of PROSE) for (const path of filesIn(place)) checkProse(path)
for (const offence of offences) console.error(offence)
console.log(
  offences.length === 0 ? 'language: plain' : `language: ${offences.length} offence(s), see CONTRIBUTING.md`,
)
process.exitCode = offences.length === 0 ? 0 : 1

function filesIn(place: string): string[] {
  const path = join(root, place)
  if (!existsSync(path)) return []
  if (statSync(path).isFile()) return [path]
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter(
      (entry) => entry.isFile() && /\.(tsx?|md)$/.test(entry.name) && !/\.(test|wat)\.ts$/.test(entry.name),
    )
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !QUOTING.test(file))
}

function checkNames(path: string): void {
  readFileSync(path, 'utf8')
    .split('\n')
    .forEach((line, at) => {
      if (/^\s*(\*|\/\/|\/\*)/.test(line)) return
      const code = line.replace(/'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|`(?:\\.|[^`\\])*`|\/\/.*$/g, '')
      const bad = [...code.matchAll(/[A-Za-z_$][\w$]*/g)].find(
        ([name]) => NAMES.test(name) || partsOf(name).some((part) => NAME_PARTS.test(part)),
      )
      if (bad !== undefined) report(path, at, `the name ${bad[0]}`)
    })
}

function partsOf(name: string): string[] {
  return name.split(/(?<=[a-z0-9])(?=[A-Z])|_/)
}

function checkProse(path: string): void {
  readFileSync(path, 'utf8')
    .split('\n')
    .forEach((line, at) => {
      const bad = PHRASES.exec(line)
      if (bad !== null) report(path, at, `"${bad[0]}"`)
    })
}

function report(path: string, at: number, what: string): void {
  offences.push(`${relative(root, path)}:${at + 1}: ${what} is not plain technical English`)
}
