/**
 * Every command is in a guide or the README, and each of its options is in its own section of
 * docs/commands.md.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { manPage } from '../../scripts/commands-pages.ts'
import { commands } from '../../src/cli/commands.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const read = (name: string): string => readFileSync(`${root}${name}`, 'utf8')
const guides = ['README.md', ...readdirSync(`${root}docs/guides`).map((name) => `docs/guides/${name}`)]
  .map(read)
  .join('\n')

/** By the command's name: the lines from its heading to the next one. */
const sections = new Map(
  read('docs/commands.md')
    .split(/^## `reprise /m)
    .slice(1)
    .map((section) => [section.slice(0, section.indexOf('`')), section] as const),
)

/** `| `--out <file>` | the tape |` as ['--out <file>', 'the tape']. */
function rowsOf(section: string): string[][] {
  return [...section.matchAll(/^\| `((?:[^`\\]|\\.)+)` \| (.+) \|$/gm)].map((row) =>
    row.slice(1).map((cell) => cell.replaceAll('\\|', '|')),
  )
}

test('docs/commands.md has a section for each command, in the order of the help, and no other', () => {
  expect([...sections.keys()]).toEqual(commands.map(({ name }) => name))
})

describe.each(commands.map((command) => [command.name, command] as const))(
  '%s',
  (name, { options, help, arguments: words }) => {
    test('is used in a guide or in the README', () => {
      const [group = '', word = ''] = name.split(' ')
      expect(
        guides.split('\n').filter((line) => new RegExp(`reprise ${group}\\b.*\\b${word}`).test(line)),
      ).not.toEqual([])
    })

    test('its section has its arguments, what it does, and every option with its help, and no other', () => {
      const section = sections.get(name) ?? ''
      expect(section).toContain(`\n\`reprise ${`${name} ${words}`.trim()}\`: ${help}.\n`)
      expect(rowsOf(section)).toEqual(
        options.map((option) => [
          option.flags,
          `${option.help}${option.required === true ? ' (required)' : ''}`,
        ]),
      )
    })
  },
)

test('man/reprise.1 is the table of commands, in ASCII', () => {
  const page = read('man/reprise.1')
  expect(page).toBe(manPage())
  expect(page).toMatch(/^[\n\x20-\x7e]*$/)
})
