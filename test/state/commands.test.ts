/** `reprise state …`, as a user runs it: what it prints and how it ends. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { reprise } from '../support/cli.ts'
import { newerNode } from '../support/newer-node.ts'
import { runChild } from '../support/run-child.ts'
import { tempFolder } from '../support/temp-folder.ts'

type Run = (words: readonly string[], input?: string) => ReturnType<typeof reprise>

function on(root: string, session = 's'): Run {
  return (words, input = '') =>
    reprise(['state', ...words, '--root', root, ...(words[0] === 'sessions' ? [] : ['--session', session])], {
      input,
    })
}

const VERSION = /^\d+-[0-9a-f]{16}\n$/

test('the way of a value through all commands', async () => {
  const folder = tempFolder()
  const state = on(join(folder, 'state'))
  expect(await state(['init'])).toMatchObject({ code: 0, stdout: 's\n', stderr: '' })
  expect(await state(['write', 'a/b', 'from the argument'])).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(VERSION),
  })
  expect(await state(['write', 'stdin'], 'from\nstdin\n')).toMatchObject({ code: 0 })
  writeFileSync(join(folder, 'value'), Buffer.from([0, 255, 10]))
  expect(await state(['write', 'bytes', '--file', join(folder, 'value')])).toMatchObject({ code: 0 })
  expect(await state(['write', 'empty'], '')).toMatchObject({ code: 0 })
  expect(await state(['write', 'dash', '--', '--not-an-option'])).toMatchObject({ code: 64 })
  expect(await state(['read', 'a/b'])).toMatchObject({ code: 0, stdout: 'from the argument' })
  expect(await state(['read', 'stdin'])).toMatchObject({ stdout: 'from\nstdin\n' })
  expect(JSON.parse((await state(['read', 'bytes', '--json'])).stdout)).toMatchObject({
    key: 'bytes',
    content_base64: 'AP8K',
    writer: { writer_id: 's' },
  })
  expect(await state(['list'])).toMatchObject({ stdout: 'a/b\nbytes\nempty\nstdin\n' })
  expect(JSON.parse((await state(['list', '--json'])).stdout)).toEqual({
    session_id: 's',
    keys: ['a/b', 'bytes', 'empty', 'stdin'],
  })
  expect(await state(['delete', 'empty'])).toMatchObject({ code: 0, stdout: '' })
  const history = JSON.parse((await state(['history', 'empty', '--json'])).stdout)
  expect(history.versions.map((past: { deleted: boolean }) => past.deleted)).toEqual([false, true])
  expect(await state(['read', 'empty', '--at', history.versions[0].version])).toMatchObject({
    code: 0,
    stdout: '',
  })
  expect(await state(['handoff', '{"done":1}'])).toMatchObject({ code: 0 })
  expect(JSON.parse((await state(['handoff'])).stdout)).toMatchObject({
    _type: 'agent_state_handoff',
    summary: { done: 1 },
  })
  expect(JSON.parse((await state(['resume', '--json'])).stdout)).toMatchObject({
    _type: 'state_handle',
    keys: expect.arrayContaining(['a/b']),
    handoff: { summary: { done: 1 } },
  })
  expect(await state(['sessions'])).toMatchObject({ stdout: 's\n' })
  expect(await state(['sessions', '--session', 's', '--json'])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('"s"'),
  })
  expect(await state(['sessions', '--session', 't'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('[state-session-missing]'),
  })
})

describe('how it ends', () => {
  test('a conflict is 2, and both writers are named', async () => {
    const state = on(tempFolder())
    await state(['init'])
    await state(['write', 'k', '1', '--writer', 'ann'])
    const refused = await state(['write', 'k', '2', '--writer', 'ben', '--conflict', 'error'])
    expect(refused).toMatchObject({ code: 2, stdout: '' })
    expect(refused.stderr).toContain(
      "agent_state.write: key 'k' was previously written by 'ann' and is now being written by 'ben' [state-conflict]",
    )
    expect(await state(['write', 'k', '2', '--writer', 'ben', '--conflict', 'warn'])).toMatchObject({
      code: 0,
      stderr: expect.stringContaining("'ann'"),
    })
    expect(await state(['handoff', '{}', '--writer', 'ann'])).toMatchObject({ code: 0 })
    expect(await state(['handoff', '{}', '--writer', 'ben', '--conflict', 'strict'])).toMatchObject({
      code: 2,
    })
  })

  test('a compare-and-swap that fails is 2, with both writers and one JSON document', async () => {
    const state = on(tempFolder())
    await state(['init'])
    const { stdout: version } = await state(['write', 'k', '1', '--if-version', 'none', '--writer', 'ann'])
    expect(await state(['write', 'k', '2', '--if-version', version.trim()])).toMatchObject({ code: 0 })
    const refused = await state([
      'write',
      'k',
      '3',
      '--if-version',
      version.trim(),
      '--writer',
      'ben',
      '--json',
    ])
    expect(refused.code).toBe(2)
    expect(refused.stderr).toMatch(
      /by 's', not at version '1-[0-9a-f]{16}' as 'ben' expects \[state-version-mismatch\]/,
    )
    expect(JSON.parse(refused.stdout)).toMatchObject({
      conflict: {
        code: 'state-version-mismatch',
        previous: { writer_id: 's' },
        current: { writer_id: 'ben' },
      },
    })
    expect(await state(['delete', 'k', '--if-version', version.trim()])).toMatchObject({ code: 2 })
    expect(await state(['read', 'k'])).toMatchObject({ stdout: '2' })
  })

  test.each([
    [1, ['read', 'missing'], 'state-key-missing'],
    [1, ['delete', 'missing'], 'state-key-missing'],
    [1, ['history', 'missing'], 'state-key-missing'],
    [1, ['handoff'], 'state-key-missing'],
    [1, ['write', '../x', 'v'], 'state-key-invalid'],
    [1, ['write', 'k', '--file', '/nowhere/at/all'], 'not-found'],
    [1, ['handoff', 'no json'], 'state-handoff-invalid'],
    [1, ['handoff', '[]'], 'state-handoff-invalid'],
    [1, ['handoff', '--task', 'only'], 'state-handoff-invalid'],
    [64, ['write'], 'usage'],
    [64, ['write', 'k', 'v', 'more'], 'usage'],
    [64, ['write', 'k', 'v', '--file', 'f'], 'usage'],
    [64, ['write', 'k', 'v', '--conflict', 'loud'], 'usage'],
    [64, ['write', 'k', 'v', '--if-version', 'seven'], 'usage'],
    [64, ['list', '--no-such-option'], 'usage'],
  ])('%i: %j', async (code, words, error) => {
    const state = on(tempFolder())
    await state(['init'])
    const run = await state(words)
    expect(run).toMatchObject({ code, stdout: '' })
    expect(run.stderr).toMatch(new RegExp(`^reprise: .* \\[${error}\\].*\n$`))
  })

  test('a session or root that is not there, or is no place', async () => {
    expect(await on(tempFolder(), 'nobody')(['list'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('[state-session-missing]'),
    })
    expect(await on(tempFolder(), '../..')(['list'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('[state-session-invalid]'),
    })
    expect(await on('ftp://x')(['list'])).toMatchObject({
      code: 64,
      stderr: expect.stringContaining('[usage]'),
    })
    expect(await reprise(['state', 'list', '--session', 's'])).toMatchObject({ code: 64 })
    const refused = await on('postgres://someone:topsecret@127.0.0.1:1/db')(['list'])
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('[state-database]') })
    expect(refused.stderr).not.toContain('topsecret')
  })

  test('hostile names cannot act on a terminal', async () => {
    const state = on(tempFolder())
    await state(['init'])
    await state(['write', 'a\u001b[2Jb', 'v'])
    expect((await state(['list'])).stdout).toBe('a\\x1b[2Jb\n')
    expect((await state(['read', 'x\u001b]0;owned\u0007'])).stderr).not.toContain('\u001b')
  })
})

test('on SQLite, and the clear word of a Node without it', async (context) => {
  const root = `sqlite:${join(tempFolder(), 'state.db')}`
  const node = newerNode('node22')
  if (node === null) return context.skip('node22')
  const bin = new URL('../../bin/reprise.js', import.meta.url).pathname
  const state = (words: readonly string[]): ReturnType<typeof runChild> =>
    runChild(node, [bin, 'state', ...words, '--root', root, '--session', 's'], {})
  expect(await state(['init'])).toMatchObject({ code: 0, stderr: '' })
  expect(await state(['write', 'k', 'v'])).toMatchObject({ code: 0, stderr: '' })
  expect(await state(['read', 'k'])).toMatchObject({ code: 0, stdout: 'v', stderr: '' })
  if (process.versions.node.startsWith('20.')) {
    expect(await on(root)(['list'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('needs Node 22.13 or newer'),
    })
  }
})

test('root and session come from REPRISE_STATE; options count more', async () => {
  const root = join(tempFolder(), 'state')
  const env = { ...process.env, REPRISE_STATE: `${root}#from-env` }
  expect(await reprise(['state', 'init'], { env })).toMatchObject({ code: 0, stdout: 'from-env\n' })
  expect(await reprise(['state', 'write', 'k', 'v'], { env })).toMatchObject({ code: 0 })
  expect(await reprise(['state', 'read', 'k'], { env })).toMatchObject({ code: 0, stdout: 'v' })
  expect((await on(root, 'from-env')(['read', 'k'])).stdout).toBe('v')
  expect((await reprise(['state', 'read', 'k', '--session', 'other'], { env })).code).toBe(1)
  const rootOnly = { ...process.env, REPRISE_STATE: root }
  expect(await reprise(['state', 'read', 'k', '--session', 'from-env'], { env: rootOnly })).toMatchObject({
    stdout: 'v',
  })
  expect(await reprise(['state', 'read', 'k'], { env: rootOnly })).toMatchObject({
    code: 64,
    stderr: expect.stringContaining('REPRISE_STATE'),
  })
  const none = { ...process.env, REPRISE_STATE: '' }
  expect((await reprise(['state', 'sessions'], { env: none })).code).toBe(64)
})
