/**
 * A full disk, an I/O error and a kill at every named place of a write: the old value or the new one, never a
 * mixture, and the right owner.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import { armFaults } from '../../src/base/index.ts'
import { type StateFaultPoint, stateFaultPoints } from '../../src/state/fault-points.ts'
import { initState, resumeState, type StateHandle } from '../../src/state/index.ts'
import { needs } from '../support/outside.ts'
import { tempFolder } from '../support/temp-folder.ts'

type Row = {
  readonly point: StateFaultPoint
  readonly operation: 'write' | 'delete' | 'transaction'
  readonly left: 'old' | 'new'
}

const rows: readonly Row[] = [
  { point: 'state.stage-content', operation: 'write', left: 'old' },
  { point: 'state.stage-metadata', operation: 'write', left: 'old' },
  { point: 'state.flush', operation: 'write', left: 'old' },
  { point: 'state.staged', operation: 'write', left: 'old' },
  { point: 'state.keep', operation: 'write', left: 'old' },
  { point: 'state.rename-metadata', operation: 'write', left: 'old' },
  { point: 'state.rename-content', operation: 'write', left: 'old' },
  { point: 'state.renamed', operation: 'write', left: 'new' },
  { point: 'state.flush-folders', operation: 'write', left: 'new' },
  { point: 'state.rename-deletion', operation: 'delete', left: 'old' },
  { point: 'state.remove-content', operation: 'delete', left: 'old' },
  { point: 'state.remove-metadata', operation: 'delete', left: 'new' },
  { point: 'state.stage-content', operation: 'transaction', left: 'old' },
  { point: 'state.transaction-write', operation: 'transaction', left: 'old' },
  { point: 'state.transaction-commit', operation: 'transaction', left: 'old' },
  { point: 'state.transaction-committed', operation: 'transaction', left: 'new' },
  { point: 'state.keep', operation: 'transaction', left: 'new' },
  { point: 'state.rename-metadata', operation: 'transaction', left: 'new' },
  { point: 'state.rename-content', operation: 'transaction', left: 'new' },
  { point: 'state.transaction-step', operation: 'transaction', left: 'new' },
]

async function prepare(root: string): Promise<void> {
  await using state = await initState(root, { sessionId: 's', writerId: 'old-writer' })
  for (const key of ['a', 'b', 'gone']) await state.write(key, `old ${key}`)
}

async function operate(state: StateHandle, operation: Row['operation']): Promise<unknown> {
  if (operation === 'write') return state.write('a', 'new a')
  if (operation === 'delete') return state.delete('a')
  return state.transaction(async (tx) => {
    await tx.write('a', 'new a')
    await tx.write('b', 'new b')
    await tx.delete('gone')
    await tx.write('deep/er', 'new deep')
  })
}

async function expectLeft(root: string, { operation, left }: Row): Promise<void> {
  await using state = await resumeState(root, 's', { writerId: 'next' })
  const show = async (key: string): Promise<readonly (string | null | undefined)[]> => {
    const entry = await state.entry(key)
    return [entry === null ? null : new TextDecoder().decode(entry.content), entry?.writer?.writerId]
  }
  const old = (key: string): readonly string[] => [`old ${key}`, 'old-writer']
  const now = (key: string): readonly string[] => [`new ${key}`, 'new-writer']
  if (operation === 'transaction' && left === 'new') {
    expect(await state.list()).toEqual(['a', 'b', 'deep/er'])
    expect([await show('a'), await show('b'), await show('deep/er')]).toEqual([
      now('a'),
      now('b'),
      ['new deep', 'new-writer'],
    ])
  } else {
    const a = left === 'old' ? old('a') : operation === 'delete' ? [null, undefined] : now('a')
    expect([await show('a'), await show('b'), await show('gone')]).toEqual([a, old('b'), old('gone')])
  }
  // Nothing is left over, and the next writer is not disturbed: under `error`, the deleted key has no owner.
  const ours = join(root, 's/.agent_state_meta/.agent_state_tmp.reprise')
  await state.write('next', '1')
  expect(readdirSync(join(ours, 'staging'))).toEqual([])
  expect(readdirSync(ours).filter((name) => name.startsWith('lock') || name === 'commit.json')).toEqual([])
  await state.delete('a')
  await state.write('a', 'again')
  const numbers = (await state.history('a')).map(({ version }) => Number.parseInt(version, 10))
  expect(numbers).toEqual([...numbers].sort((x, y) => x - y))
  expect(new Set(numbers).size).toBe(numbers.length)
}

describe.each(rows)('$operation, $point', (row) => {
  test(`a full disk leaves the ${row.left} value`, async () => {
    const root = tempFolder()
    await prepare(root)
    const state = await resumeState(root, 's', { writerId: 'new-writer' })
    onTestFinished(() => state.close())
    let armed = true
    {
      using _ = armFaults((point) => {
        if (!armed || point !== row.point) return
        armed = false
        throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' })
      })
      const error = await operate(state, row.operation).catch((thrown: unknown) => thrown)
      expect(armed).toBe(false)
      const committed =
        row.operation === 'transaction' ? row.left === 'new' : row.point === 'state.flush-folders'
      expect(error).toMatchObject({ code: committed ? 'state-not-durable' : 'io' })
    }
    await state.close()
    await expectLeft(root, row)
  })

  test(`a kill leaves the ${row.left} value`, async () => {
    const root = tempFolder()
    await prepare(root)
    const worker = fileURLToPath(new URL('./workers/die-at.mjs', import.meta.url))
    const { signal, stderr } = spawnSync(process.execPath, [worker, root, row.point, row.operation], {
      encoding: 'utf8',
    })
    expect([signal, stderr]).toEqual(['SIGKILL', ''])
    await expectLeft(root, row)
  })
})

test('every fault point has its row', () => {
  const tried = new Set<string>([...rows.map(({ point }) => point), 'state.takeover'])
  expect([...tried].sort()).toEqual([...stateFaultPoints].sort())
})

test('a disk that is really full: the old value stays, and space makes it writable again', (context) => {
  needs(context, 'unshare', 'mount')
  const folder = tempFolder()
  const worker = fileURLToPath(new URL('./workers/fill-disk.mjs', import.meta.url))
  const script = 'mount -t tmpfs -o size=1m tmpfs "$1" && exec "$2" "$3" "$1"'
  const flags = process.getuid?.() === 0 ? ['-m'] : ['-m', '-U', '-r']
  const { status, stdout, stderr } = spawnSync(
    'unshare',
    [...flags, 'sh', '-c', script, 'sh', folder, process.execPath, worker],
    {
      encoding: 'utf8',
    },
  )
  if (/not permitted|permission denied/i.test(stderr)) return context.skip('root for unshare -m')
  expect([stderr, status]).toEqual(['', 0])
  expect(JSON.parse(stdout)).toEqual({
    failed: { code: 'io', system: 'ENOSPC' },
    kept: true,
    owner: 'first',
    after: 'small',
  })
})

test('an abort between the flush and the rename leaves what was before', async () => {
  const root = tempFolder()
  mkdirSync(join(root, 'session-crash'))
  writeFileSync(join(root, 'session-crash', 'plan.md'), 'before')
  const worker = fileURLToPath(new URL('./workers/write-key.mjs', import.meta.url))
  const env = { ...process.env, REPRISE_STATE_ABORT_AFTER_TMP_WRITE: '1' }
  const { signal } = spawnSync(process.execPath, [worker, root, 'session-crash', 'plan.md', 'after'], { env })
  expect(signal).toBe('SIGABRT')
  expect(readFileSync(join(root, 'session-crash', 'plan.md'), 'utf8')).toBe('before')
  await using state = await resumeState(root, 'session-crash')
  expect(await state.list()).toEqual(['plan.md'])
  await state.write('plan.md', 'after')
  expect(readdirSync(join(root, 'session-crash/.agent_state_meta/.agent_state_tmp.reprise/staging'))).toEqual(
    [],
  )
})
