/** Writes docs/commands.md from the table of commands. A test fails when the page and the table differ. */
import { writeFileSync } from 'node:fs'
import { commands } from '../src/cli/commands.ts'

const cell = (text: string): string => text.replaceAll('|', '\\|')
const sections = commands.map(({ name, arguments: words, help, options }) => {
  const rows = options.map(({ flags, help: what, required }) => `| \`${cell(flags)}\` | ${cell(what)}${required === true ? ' (required)' : ''} |`)
  const table = rows.length === 0 ? 'No options.' : `| option | what it does |\n| --- | --- |\n${rows.join('\n')}`
  return `## \`reprise ${name}\`\n\n\`reprise ${[name, ...(words === '' ? [] : [words])].join(' ')}\`: ${help}.\n\n${table}\n`
})
const head = `# Commands

Every command with its options, as \`reprise <command> --help\` prints them. Every command also takes \`--debug\` (show the stack of an
error) and \`--help\`. Written by \`tsx scripts/write-commands.ts\`.
`
writeFileSync(new URL('../docs/commands.md', import.meta.url), `${head}\n${sections.join('\n')}`)
