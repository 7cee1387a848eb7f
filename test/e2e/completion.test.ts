/** The completion scripts, in the shells that they are for. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { reprise } from '../support/cli.ts'
import { needs } from '../support/outside.ts'
import { runChild } from '../support/run-child.ts'
import { tempFolder } from '../support/temp-folder.ts'

async function scriptFor(shell: string): Promise<string> {
  const { code, stdout } = await reprise(['completion', shell])
  expect(code).toBe(0)
  const file = join(tempFolder(), 'completion')
  writeFileSync(file, stdout)
  return file
}

const CASES: readonly (readonly [words: readonly string[], expected: readonly string[]])[] = [
  [['reprise', 'rec'], ['record']],
  [
    ['reprise', 'cassette', 're'],
    ['record', 'replay'],
  ],
  [['reprise', 'verify', '--k'], ['--key']],
  [['reprise', 'cassette', 'show', '--s'], ['--svg']],
  [['reprise', 'audit', 'x.jsonl', '--com'], ['--compat']],
]

describe('bash', () => {
  test.each(CASES)('%j', async (words, expected) => {
    const script = await scriptFor('bash')
    const quoted = words.map((word) => `'${word}'`).join(' ')
    const { stdout, stderr } = await runChild(
      'bash',
      [
        '-c',
        `. '${script}'; COMP_WORDS=(${quoted}); COMP_CWORD=$((${words.length} - 1)); _reprise; printf '%s\\n' "\${COMPREPLY[@]}"`,
      ],
      {},
    )
    expect([stdout.trim().split('\n').sort(), stderr]).toEqual([[...expected], ''])
  })
})

describe('fish', () => {
  test.for(CASES)('%j', async ([words, expected], context) => {
    needs(context, 'fish')
    const script = await scriptFor('fish')
    const { stdout, stderr } = await runChild(
      'fish',
      ['--no-config', '-c', `source '${script}'; complete -C '${words.join(' ')}'`],
      {},
    )
    expect([
      stdout
        .trim()
        .split('\n')
        .map((line) => line.split('\t')[0])
        .sort(),
      stderr,
    ]).toEqual([[...expected], ''])
  })
})

test('zsh reads the script', async (context) => {
  needs(context, 'zsh')
  const script = await scriptFor('zsh')
  const { code, stderr } = await runChild('zsh', ['-f', '-n', script], {})
  expect([code, stderr]).toEqual([0, ''])
  const loaded = await runChild(
    'zsh',
    ['-f', '-c', `autoload -Uz compinit; compinit -u -D; . '${script}'; print $_comps[reprise]`],
    {},
  )
  expect([loaded.stdout.trim(), loaded.stderr]).toEqual(['_reprise', ''])
})

test('another shell is an error that lists those there are', async () => {
  expect(await reprise(['completion', 'tcsh'])).toMatchObject({
    code: 64,
    stderr: 'reprise: there is no completion for "tcsh" [usage]; hint: one of bash, zsh, fish\n',
  })
})
