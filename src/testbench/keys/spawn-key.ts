/**
 * The match key of a subprocess: program, arguments and working directory, scrubbed. An unknown recorded
 * working directory matches any, as in Harn. The Node that runs the program is `$NODE`, whatever its path.
 */
import { contentHash } from '../../base/index.ts'
import type { ChildStart } from '../../boundaries/child-contract.ts'
import { startedAs } from '../../real/program.ts'
import { normalisePlaceholders, type ScrubbedText, type Scrubber } from '../../scrub/index.ts'
import {
  joinScrubbed,
  printScrubbed,
  scrubbedText,
  scrubbedUtf8,
  sliceScrubbed,
} from '../../scrub/scrubbed-parts.ts'

export type SpawnKey = {
  /** `git commit -m "a message" @ $ROOT`; `@ *` if it has our own directory. */
  readonly key: ScrubbedText
  /** The same with an unknown working directory. */
  readonly anywhere: ScrubbedText
}

type Started = Pick<ChildStart, 'program' | 'args' | 'cwd'>

/** `moved` maps a path of this machine to that of the recording. */
export function spawnKey(
  child: Started,
  scrubber: Scrubber,
  moved: (text: string) => string = (text) => text,
): SpawnKey {
  const program = child.program === startedAs.execPath ? '$NODE' : moved(child.program)
  const args = child.args.map((argument) => (argument === startedAs.execPath ? '$NODE' : moved(argument)))
  const words = joinScrubbed([scrubber.text(program, 'sent'), ...scrubber.argv(args)].map(word), ' ')
  const cwd = child.cwd === null ? scrubbedText`*` : word(scrubber.text(moved(child.cwd), 'sent'))
  return { key: scrubbedText`${words} @ ${cwd}`, anywhere: scrubbedText`${words} @ *` }
}

/** Calls that return at once are matched separately. */
export function syncKey(key: ScrubbedText): ScrubbedText {
  return scrubbedText`sync ${key}`
}

/** A path that begins with `from` then begins with `to`; other text stays. */
export function movingRoot(from: string, to: string): (text: string) => string {
  if (from === to || from === '' || from === '/') return (text) => text
  const before = new RegExp(
    `(?<![A-Za-z0-9._-])${from.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?![A-Za-z0-9._-])`,
    'g',
  )
  return (text) => text.replace(before, () => to)
}

const MAX_WORD = 1000
const SHOWN = 200

/** A word that is unambiguous, and not mistaken for the `@`. A long one ends in its hash. */
function word(text: ScrubbedText): ScrubbedText {
  const plain = normalisePlaceholders(text)
  const short = plain.length <= MAX_WORD ? plain : shortened(plain)
  return /^[\w./:=,+%$<>*~-]+$/.test(short) && short !== '*' ? short : printScrubbed(short)
}

function shortened(text: ScrubbedText): ScrubbedText {
  return scrubbedText`${sliceScrubbed(text, 0, SHOWN)}… #${sliceScrubbed(contentHash(scrubbedUtf8(text)), 0, 24)}`
}
