/** One line for a command line that cannot be understood, with the nearest word that can. */
import type { CommanderError } from 'commander'
import { printable } from '../base/index.ts'

/** `names` are the full names of all commands: `verify`, `cassette record`. */
export function usageLine(error: CommanderError, words: readonly string[], names: readonly string[]): string {
  if (error.code === 'commander.help') {
    const [group = ''] = words.filter((word) => !word.startsWith('-'))
    return line(missingCommand(group, names), null, helpOf(words, names))
  }
  const [what = '', second = ''] = error.message.replace(/^error: /, '').split('\n')
  const unknown = /^unknown command '(.*)'$/.exec(what)?.[1]
  if (unknown !== undefined) return line(what, nearest(unknown, names))
  const meant = /^\(Did you mean (?:one of )?(.+?)\?\)$/.exec(second)?.[1] ?? null
  return line(what, meant, helpOf(words, names))
}

/** `reprise cassette show --help` for the words of that command. */
function helpOf(words: readonly string[], names: readonly string[]): string {
  const [first = '', second = ''] = words.filter((word) => !word.startsWith('-'))
  const known = [`${first} ${second}`, first].find((name) =>
    names.some((other) => other === name || other.startsWith(`${name} `)),
  )
  return known === undefined || first === '' ? 'reprise --help' : `reprise ${known} --help`
}

function line(what: string, meant: string | null, help = 'reprise --help'): string {
  const hint = meant === null ? `see ${help}` : `did you mean ${printable(meant)}? See ${help}`
  return `reprise: ${printable(what)} [usage]; hint: ${hint}`
}

/** The line for `reprise help nope`; null if the topic is a command or a group. */
export function unknownTopicLine(words: readonly string[], names: readonly string[]): string | null {
  const [help, ...topic] = words.filter((word) => !word.startsWith('-'))
  const name = topic.join(' ')
  const isKnown = names.some((known) => known === name || known.startsWith(`${name} `))
  if (help !== 'help' || name === '' || name === 'help' || isKnown) return null
  return line(`unknown command '${name}'`, nearest(name, names))
}

function missingCommand(group: string, names: readonly string[]): string {
  const members = names.filter((name) => name.startsWith(`${group} `)).map((name) => name.split(' ')[1])
  return members.length === 0 ? 'no command given' : `${group} needs a command: ${members.join(', ')}`
}

/** The known word with the fewest edits, if these are at most a third of the letters of its last word. */
export function nearest(word: string, known: readonly string[]): string | null {
  const ranked = known
    .map((name) => ({ name, edits: editsBetween(word, name) }))
    .filter(({ name, edits }) => edits * 3 <= Math.max(name.split(' ').at(-1)?.length ?? 0, 3))
    .sort((a, b) => a.edits - b.edits)
  return ranked[0]?.name ?? null
}

/** Insertions, deletions, replacements and swaps of neighbours. */
function editsBetween(a: string, b: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i]
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      const edits = Math.min((row[j - 1] ?? 0) + 1, (last[j] ?? 0) + 1, (last[j - 1] ?? 0) + same)
      row.push(swapped ? Math.min(edits, (beforeLast[j - 2] ?? 0) + 1) : edits)
    }
    beforeLast = last
    last = row
  }
  return last[b.length] ?? 0
}
