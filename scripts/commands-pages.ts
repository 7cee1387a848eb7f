/** The table of commands as a page of Markdown and as a manual page. */
import { version } from '../src/base/version.ts'
import { commands, groups } from '../src/cli/commands.ts'

export function commandsPage(): string {
  const cell = (text: string): string => text.replaceAll('|', '\\|')
  const sections = commands.map(({ name, arguments: words, help, options }) => {
    const rows = options.map(
      ({ flags, help: what, required }) =>
        `| \`${cell(flags)}\` | ${cell(what)}${required === true ? ' (required)' : ''} |`,
    )
    const table =
      rows.length === 0 ? 'No options.' : `| option | what it does |\n| --- | --- |\n${rows.join('\n')}`
    const usage = [name, ...(words === '' ? [] : [words])].join(' ')
    return `## \`reprise ${name}\`\n\n\`reprise ${usage}\`: ${help}.\n\n${table}\n`
  })
  const head = `# Commands

Every command with its options, as \`reprise <command> --help\` prints them. Every command also takes \`--debug\` (show the stack of an
error), \`--quiet\` (show no progress) and \`--help\`. Where a command takes a tape, \`last\` is the newest one that \`reprise list\` lists. Written by
\`tsx scripts/write-commands.ts\`.
`
  return `${head}\n${sections.join('\n')}`
}

/** In the macros of man(7). */
export function manPage(): string {
  const lines = [
    `.TH REPRISE 1 "" "Reprise ${version}" "User Commands"`,
    '.SH NAME',
    'reprise \\- record, replay and compare runs of AI agents',
    '.SH SYNOPSIS',
    '.B reprise',
    '.I command',
    '[options] [arguments]',
    '.SH DESCRIPTION',
    'Reprise records everything that an agent takes in on one tape, replays it without the network, and compares runs record by record.',
    'Every command takes \\fB\\-\\-help\\fR, \\fB\\-\\-debug\\fR (show the stack of an error) and \\fB\\-\\-quiet\\fR (show no progress).',
    'Where a command takes a tape, \\fBlast\\fR is the newest one that \\fBreprise list\\fR lists.',
    '.SH COMMANDS',
  ]
  for (const { name, arguments: words, help, options } of commands) {
    lines.push('.SS', escaped(`reprise ${name} ${words}`.trim()), escaped(`${help}.`))
    for (const { flags, help: what, required } of options) {
      lines.push('.TP', `.B ${escaped(flags)}`, escaped(`${what}${required === true ? ' (required)' : ''}`))
    }
  }
  lines.push('.SH GROUPS')
  for (const [group, help] of Object.entries(groups)) lines.push('.TP', `.B ${escaped(group)}`, escaped(help))
  lines.push(
    '.SH EXIT STATUS',
    '.TP',
    '.B 0',
    'no finding',
    '.TP',
    '.B 1',
    'the command failed',
    '.TP',
    '.B 2',
    'a finding, a divergence or a conflict',
    '.TP',
    '.B 64',
    'wrong usage',
    '.TP',
    '.B 125',
    'Reprise itself failed while it recorded or replayed a program; otherwise these end as the program ends',
    '.SH ENVIRONMENT',
    '.TP',
    '.B NO_COLOR',
    'print no colours on a terminal',
    '.TP',
    '.B REPRISE_STATE',
    'the root, or root and session, of the state commands',
    '.SH FILES',
    '.TP',
    '.I .reprise/',
    'tapes that were recorded without \\fB\\-\\-out\\fR',
  )
  return `${lines.join('\n')}\n`
}

/** A hyphen is a minus, a backslash is itself, no text begins a macro, and the page is plain ASCII. */
function escaped(text: string): string {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/^([.'])/, '\\&$1')
    .replace(
      /[^\x20-\x7e]/gu,
      (char) => `\\[u${char.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}]`,
    )
}
