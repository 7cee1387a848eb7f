/**
 * The lock between processes: held by the living, taken over from the dead, however the dead died, and never
 * from whom nothing is known.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { armFaults } from '../../src/base/index.ts'
import { ownIdentity, type ProcessIdentity, presenceOf } from '../../src/real/processes.ts'
import { initState, resumeState } from '../../src/state/index.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { ended, firstLine, startWorker } from './processes.ts'

const OURS = 's/.agent_state_meta/.agent_state_tmp.reprise'

/** A process that has been, and is gone. */
function deadIdentity(): ProcessIdentity {
  const { pid } = spawnSync(process.execPath, ['-e', ''])
  return { ...ownIdentity(), pid, started: '1' }
}

function lockedBy(root: string, holder: unknown, name = 'lock'): string {
  mkdirSync(join(root, OURS), { recursive: true })
  writeFileSync(join(root, OURS, name), typeof holder === 'string' ? holder : JSON.stringify(holder))
  return join(root, OURS, name)
}

const takenOver: readonly [string, () => unknown][] = [
  ['a process that is gone', deadIdentity],
  ['a pid that came back as another process', () => ({ ...ownIdentity(), started: '1' })],
  ['this machine before its last start', () => ({ ...ownIdentity(), boot: 'an earlier boot' })],
]

test.each(takenOver)('the lock of %s is taken over', async (_, holder) => {
  const root = tempFolder()
  lockedBy(root, holder())
  await using state = await initState(root, { sessionId: 's', lockTimeoutMs: 0 })
  await state.write('k', '1')
  expect(readdirSync(join(root, OURS)).filter((name) => name.startsWith('lock'))).toEqual([])
})

const respected: readonly [string, () => unknown, RegExp][] = [
  ['a living process', () => ownIdentity(), new RegExp(`locked by process ${process.pid} on ${hostname()}`)],
  ['another machine', () => ({ ...deadIdentity(), host: 'elsewhere' }), /locked by process \d+ on elsewhere/],
  ['another container', () => ({ ...deadIdentity(), space: 'pid:[1]' }), /locked by process/],
  ['nobody knows whom', () => '', /locked by an unknown holder/],
  ['something else', () => '[]', /locked by an unknown holder/],
]

test.each(respected)('the lock of %s is respected', async (_, holder, message) => {
  const root = tempFolder()
  const path = lockedBy(root, holder())
  const before = readFileSync(path, 'utf8')
  await expect(initState(root, { sessionId: 's', lockTimeoutMs: 20 })).rejects.toMatchObject({
    code: 'state-locked',
    message: expect.stringMatching(message),
  })
  expect(readFileSync(path, 'utf8')).toBe(before)
})

test('a takeover that died in the middle is taken over too, at every level', async () => {
  const root = tempFolder()
  for (const name of ['lock', 'lock.2', 'lock.3']) lockedBy(root, deadIdentity(), name)
  await using state = await initState(root, { sessionId: 's', lockTimeoutMs: 0 })
  await state.write('k', '1')
  expect(readdirSync(join(root, OURS)).filter((name) => name.startsWith('lock'))).toEqual([])
})

test('a lock that changes hands during a takeover is left alone', async () => {
  const root = tempFolder()
  const path = lockedBy(root, deadIdentity())
  let swapped = 0
  using _ = armFaults((point) => {
    // Between finding it dead and looking again nobody can act; after the second look nobody may. So the swap
    // is made by the one allowed: its remover.
    if (point === 'state.takeover') swapped += 1
  })
  await using state = await initState(root, { sessionId: 's', lockTimeoutMs: 0 })
  await state.write('k', '1')
  expect(swapped).toBe(1)
  expect(() => readFileSync(path)).toThrow('ENOENT')
})

test('a writer that is killed holding the lock delays nobody', async () => {
  const root = tempFolder()
  const worker = startWorker('hold-lock', [root])
  onTestFinished(() => void worker.kill('SIGKILL'))
  await firstLine(worker)
  await using state = await resumeState(root, 's', { lockTimeoutMs: 30 })
  await expect(state.write('k', '1')).rejects.toMatchObject({ code: 'state-locked' })
  worker.kill('SIGKILL')
  await ended(worker)
  await state.write('k', '2')
  expect(await state.read('k')).toBe('2')
})

test('a process that has ended but was not reaped is gone', async () => {
  const worker = startWorker('leave-zombie', [])
  onTestFinished(() => void worker.kill('SIGKILL'))
  const pid = Number(await firstLine(worker))
  const started = readFileSync(`/proc/${pid}/stat`, 'utf8').split(' ')[21] ?? ''
  const identity: ProcessIdentity = { ...ownIdentity(), pid, started }
  expect(presenceOf(identity)).toBe('here')
  // A stopped parent cannot reap.
  worker.kill('SIGSTOP')
  process.kill(pid, 'SIGKILL')
  while (!readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z '))
    await new Promise((resolve) => setImmediate(resolve))
  expect(presenceOf(identity)).toBe('gone')
})
