/** Completion for fish. */
import type { CompletionWords } from './words.ts'

export function fishCompletion({ first, second, options }: CompletionWords): string {
  const lines = [
    '# fish completion for reprise: reprise completion fish > ~/.config/fish/completions/reprise.fish',
    '# Whether the words before the cursor are these, and whether they begin with these.',
    'function __reprise_at',
    '  set -l words (commandline -opc)',
    '  set -e words[1]',
    '  test "$words" = "$argv"',
    'end',
    'function __reprise_is',
    '  set -l words (commandline -opc)',
    '  set -e words[1]',
    '  # Words after -- belong to the recorded program.',
    '  contains -- -- $words; and return 1',
    '  string match -q -- "$argv *" "$words "',
    'end',
    'complete -c reprise -n __reprise_at -f',
  ]
  for (const { word, help } of first) {
    lines.push(`complete -c reprise -n __reprise_at -a ${word} -d ${quoted(help)}`)
  }
  for (const [group, members] of second) {
    // `reprise audit <file>` takes a file; the other groups need a command first.
    if (!options.has(group)) lines.push(`complete -c reprise -n '__reprise_at ${group}' -f`)
    for (const { word, help } of members) {
      lines.push(`complete -c reprise -n '__reprise_at ${group}' -a ${word} -d ${quoted(help)}`)
    }
  }
  for (const [name, flags] of options) {
    for (const { flag, takesValue, help } of flags) {
      const value = takesValue ? ' -r' : ''
      const when = `-n '__reprise_is ${name}'`
      lines.push(`complete -c reprise ${when} -l ${flag.slice(2)}${value} -d ${quoted(help)}`)
    }
  }
  return `${lines.join('\n')}\n`
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}
