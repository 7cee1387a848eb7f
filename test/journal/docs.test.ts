/** The docs of the journal hold: every kind and field is listed, and every example runs. */
import { execFileSync } from 'node:child_process'
import { copyFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import type { Field } from '../../src/journal/events/fields.ts'
import { eventKinds } from '../../src/journal/events/kinds.ts'
import { categoryOfKind, eventKindNames, isKernelOsEvent, primitiveOfKind } from '../../src/journal/index.ts'
import { reprise } from '../support/cli.ts'
import { tempFolder } from '../support/temp-folder.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const page = (name: string): string => readFileSync(join(root, 'docs', name), 'utf8')
const blocks = (text: string, language: string): string[] =>
  [...text.matchAll(new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 'gs'))].map(([, code = '']) => code)

const mark: Readonly<Record<Field['presence'], (field: Field) => string>> = {
  required: () => '!',
  optional: () => '?',
  nullable: () => '?null',
  default: (field) => (field.type === 'u32' ? '=0' : '=[]'),
  'omit-empty': () => '?[]',
}

test.each(eventKindNames)('docs/format/journal.md: the row of %s is its row in the table', (kind) => {
  const row =
    page('format/journal.md')
      .split('\n')
      .find((line) => line.startsWith(`| \`${kind}\` |`)) ?? ''
  const [, , kernel = '', fields = ''] = row.split('|').map((cell) => cell.trim())
  expect(kernel).toBe(isKernelOsEvent({ kind }) ? 'K' : '')
  const expected = Object.entries<Field>(eventKinds[kind])
    .filter(([name]) => name !== 'category' && name !== 'primitive')
    .map(([name, field]) => `\`${name}\`${mark[field.presence](field)}`)
  expect(fields.replaceAll(/ \([^)]*\)/g, '').split(', ')).toEqual(expected)
})

test('docs/format/journal.md: the table of categories', () => {
  const rows = [...page('format/journal.md').matchAll(/^\| `(\w+)` \| `(\w+)` \| (.*) \|$/gm)]
  const listed = new Map(
    rows.flatMap(([, category, primitive, kinds = '']) =>
      [...kinds.matchAll(/`(\w+)`/g)].map(([, kind]) => [kind, `${category} ${primitive}`]),
    ),
  )
  for (const kind of eventKindNames)
    expect(`${kind} ${listed.get(kind) ?? 'sched sched'}`).toBe(
      `${kind} ${categoryOfKind(kind)} ${primitiveOfKind(kind)}`,
    )
})

describe('docs/guides/audit.md', () => {
  const guide = page('guides/audit.md')
  const programs = blocks(guide, 'ts')
  const run = (code: string, folder: string): string =>
    execFileSync(
      process.execPath,
      ['--input-type=module', '-e', code.replaceAll('./sessions', join(folder, 'sessions'))],
      {
        cwd: root,
        encoding: 'utf8',
      },
    )

  test('every program and command in it runs but the one that needs Postgres, which audit-guide-postgres.ci.test.ts runs', async () => {
    expect(programs.length).toBe(3)
    const folder = tempFolder()
    copyFileSync(
      join(root, 'test/fixtures/journal/logs/claude-code-2.1.197.jsonl'),
      join(folder, 'session.jsonl'),
    )
    const [writing = '', , folding = ''] = programs
    run(writing, folder)
    expect(run(folding, folder)).toBe('1 ask_user\n')
    const commands = blocks(guide, 'sh').flatMap((block) => block.trim().split('\n'))
    expect(commands.length).toBe(9)
    for (const command of commands) {
      const { code, stdout, stderr } = await reprise(command.split(' ').slice(1), { cwd: folder })
      expect(`${command} -> ${code} ${stderr}`).toBe(
        `${command} -> ${command.includes('audit check') ? 2 : 0} `,
      )
      if (command.includes('audit check')) expect(stdout).toContain('2 findings')
      expect(stdout).not.toBe('')
    }
  })
})
