/**
 * What makes a live subprocess equal to a recorded one: program, arguments and working directory, scrubbed. A recorded working directory that is not
 * known is a wildcard, as upstream has it. The Node that runs the program is `$NODE`, wherever it lies.
 */
import { contentHash, utf8 } from '../../base/index.ts'
import type { ChildStart } from '../../boundaries/session.ts'
import { startedAs } from '../../real/program.ts'
import { fromDisk, normalisePlaceholders, type ScrubbedText, type Scrubber } from '../../scrub/index.ts'

export type SpawnKey = {
  /** `git commit -m "a message" @ /work/project`; `@ *` if it has our own directory. */
  readonly key: ScrubbedText
  /** The same with a working directory that is not known. */
  readonly anywhere: ScrubbedText
}

type Started = Pick<ChildStart, 'program' | 'args' | 'cwd'>

/** `moved` gives a path of this machine as the recording had it. */
export function spawnKey(child: Started, scrubber: Scrubber, moved: (text: string) => string = (text) => text): SpawnKey {
  const program = child.program === startedAs.execPath ? '$NODE' : moved(child.program)
  const args = child.args.map((argument) => (argument === startedAs.execPath ? '$NODE' : moved(argument)))
  const words = [scrubber.text(program, 'sent'), ...scrubber.argv(args)].map(word).join(' ')
  const cwd = child.cwd === null ? '*' : word(scrubber.text(moved(child.cwd), 'sent'))
  return { key: fromDisk(`${words} @ ${cwd}`), anywhere: fromDisk(`${words} @ *`) }
}

/** Calls that are answered at once are matched among themselves. */
export function syncKey(key: ScrubbedText): ScrubbedText {
  return fromDisk(`sync ${key}`)
}

/** A path that begins with `from` begins with `to`; other text stays. */
export function movingRoot(from: string, to: string): (text: string) => string {
  if (from === to || from === '' || from === '/') return (text) => text
  const before = new RegExp(`(?<![A-Za-z0-9._-])${from.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?![A-Za-z0-9._-])`, 'g')
  return (text) => text.replace(before, () => to)
}

const MAX_WORD = 1000
const SHOWN = 200

/** A word that cannot be mistaken for two, nor for the `@`. A long one ends in its hash. */
function word(text: string): string {
  const plain = normalisePlaceholders(text)
  const short = plain.length <= MAX_WORD ? plain : `${plain.slice(0, SHOWN)}… #${contentHash(utf8(plain)).slice(0, 24)}`
  return /^[\w./:=,+%$<>*~-]+$/.test(short) && short !== '*' ? short : JSON.stringify(short)
}
