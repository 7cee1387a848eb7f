/** What the command line can do is in the docs: every command, every option. */
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { commands } from '../../src/cli/commands.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const pages = [
  'README.md',
  ...['docs', 'docs/guides', 'docs/format'].flatMap((folder) => readdirSync(`${root}${folder}`).map((name) => `${folder}/${name}`)),
]
const docs = pages
  .filter((name) => name.endsWith('.md'))
  .map((name) => readFileSync(`${root}${name}`, 'utf8'))
  .join('\n')

test.each(commands.map((command) => [command.name, command] as const))('%s', (_, { name, options }) => {
  const [group = '', word = ''] = name.split(' ')
  expect(docs.split('\n').some((line) => new RegExp(`reprise ${group}\\b.*\\b${word}`).test(line))).toBe(true)
  const missing = options.map(({ flags }) => /--[a-z-]+/.exec(flags)?.[0] ?? flags).filter((option) => !new RegExp(`${option}(?![a-z-])`).test(docs))
  expect(missing).toEqual([])
})
