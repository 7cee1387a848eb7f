/**
 * Symbolic links: nothing outside the session is read or written through one, wherever it stands, and the
 * refusal says so.
 */

import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { initState, resumeState } from '../../src/state/index.ts'
import { needs } from '../support/outside.ts'
import { tempFolder } from '../support/temp-folder.ts'

const refused = { code: 'state-link-refused' }

function outside(): { root: string; out: string } {
  const folder = tempFolder()
  const root = join(folder, 'root')
  const out = join(folder, 'outside')
  mkdirSync(join(root, 's'), { recursive: true })
  mkdirSync(out)
  writeFileSync(join(out, 'secret'), 'secret')
  return { root, out }
}

test('a key that is a link', async () => {
  const { root, out } = outside()
  symlinkSync(join(out, 'secret'), join(root, 's/k'))
  await using state = await initState(root, { sessionId: 's' })
  await expect(state.read('k')).rejects.toMatchObject(refused)
  await expect(state.write('k', 'x')).rejects.toMatchObject(refused)
  await expect(state.delete('k')).rejects.toMatchObject(refused)
  expect(await state.list()).toEqual([])
  expect(readFileSync(join(out, 'secret'), 'utf8')).toBe('secret')
})

test('a folder on the way that is a link', async () => {
  const { root, out } = outside()
  symlinkSync(out, join(root, 's/d'))
  await using state = await initState(root, { sessionId: 's' })
  await expect(state.read('d/secret')).rejects.toMatchObject(refused)
  await expect(state.write('d/new', 'x')).rejects.toMatchObject(refused)
  await expect(state.delete('d/secret')).rejects.toMatchObject(refused)
  expect(await state.list()).toEqual([])
  expect(readdirSync(out)).toEqual(['secret'])
})

test('a session that is a link', async () => {
  const { root, out } = outside()
  symlinkSync(out, join(root, 'linked'))
  await expect(initState(root, { sessionId: 'linked' })).rejects.toMatchObject(refused)
  await expect(resumeState(root, 'linked')).rejects.toMatchObject(refused)
  expect(readdirSync(out)).toEqual(['secret'])
})

test('metadata folders that are links', async () => {
  for (const name of ['.agent_state_meta', '.agent_state_meta/.agent_state_tmp.reprise']) {
    const { root, out } = outside()
    mkdirSync(join(root, 's', name, '..'), { recursive: true })
    symlinkSync(out, join(root, 's', name))
    await expect(initState(root, { sessionId: 's' }), name).rejects.toMatchObject(refused)
    expect(readdirSync(out), name).toEqual(['secret'])
  }
})

test('our own folders that are links', async () => {
  for (const name of ['staging', 'history', 'metadata', 'lock', 'commit.json']) {
    const { root, out } = outside()
    const ours = join(root, 's/.agent_state_meta/.agent_state_tmp.reprise')
    mkdirSync(ours, { recursive: true })
    symlinkSync(name === 'lock' || name === 'commit.json' ? join(out, 'secret') : out, join(ours, name))
    const work = async (): Promise<void> => {
      await using state = await initState(root, { sessionId: 's', lockTimeoutMs: 50 })
      for (const content of ['1', '2']) await state.write('x', content)
      await state.delete('x')
    }
    await work().catch((error: unknown) => expect(error, name).toHaveProperty('code'))
    expect(readdirSync(out), name).toEqual(['secret'])
    expect(readFileSync(join(out, 'secret'), 'utf8'), name).toBe('secret')
  }
})

test('the root itself may be behind a link: that is the user’s choice', async () => {
  const { root, out } = outside()
  symlinkSync(out, join(root, 'chosen'))
  await using state = await initState(join(root, 'chosen'), { sessionId: 's' })
  await state.write('k', '1')
  expect(readFileSync(join(out, 's/k'), 'utf8')).toBe('1')
})

test('a pipe where a key should be is refused, and nothing waits for it', async (context) => {
  needs(context, 'mkfifo')
  const { root } = outside()
  spawnSync('mkfifo', [join(root, 's/pipe')])
  await using state = await initState(root, { sessionId: 's' })
  await expect(state.read('pipe')).rejects.toMatchObject({ code: 'not-a-file' })
  expect(await state.list()).toEqual([])
})
