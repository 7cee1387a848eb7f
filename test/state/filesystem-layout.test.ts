/**
 * Sessions that upstream and Reprise read from each other: the same files in the same places, and what one
 * writes past the other is noticed.
 */
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type InitOptions, initState, resumeState, type StateHandle } from '../../src/state/index.ts'
import { tempFolder } from '../support/temp-folder.ts'

async function open(root: string, options: InitOptions = {}): Promise<StateHandle> {
  const state = await initState(root, { sessionId: 's', ...options })
  onTestFinished(() => state.close())
  return state
}

/** As upstream writes a key: content, then metadata with a writer and no hash. */
function upstreamWrites(root: string, key: string, content: string, writerId: string | null): void {
  const session = join(root, 's')
  mkdirSync(join(session, key, '..'), { recursive: true })
  writeFileSync(join(session, key), content)
  if (writerId === null) return
  mkdirSync(join(session, '.agent_state_meta', key, '..'), { recursive: true })
  const metadata = { writer: { writer_id: writerId, session_id: 's' }, updated_at: 1_700_000_000 }
  writeFileSync(join(session, '.agent_state_meta', `${key}.json`), JSON.stringify(metadata, null, 2))
}

describe('what Reprise writes', () => {
  test('content and metadata lie where upstream looks for them', async () => {
    const root = tempFolder()
    const state = await open(root, { workerId: 'w', writerId: 'me' })
    await state.write('evidence/a.json', '{}')
    expect(readFileSync(join(root, 's/evidence/a.json'), 'utf8')).toBe('{}')
    const metadata = JSON.parse(readFileSync(join(root, 's/.agent_state_meta/evidence/a.json.json'), 'utf8'))
    expect(metadata).toEqual({
      writer: { writer_id: 'me', stage_id: 'w', session_id: 's', worker_id: 'w' },
      updated_at: expect.any(Number),
      instance: state.writer.instance,
      version: 1,
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      previous: null,
    })
  })

  test('a second write names both owners, each with the hash of its content', async () => {
    const root = tempFolder()
    await (await open(root, { writerId: 'a' })).write('k', 'one')
    await (await open(root, { writerId: 'b' })).write('k', 'two')
    const metadata = JSON.parse(readFileSync(join(root, 's/.agent_state_meta/k.json'), 'utf8'))
    expect(metadata).toMatchObject({
      writer: { writer_id: 'b' },
      version: 2,
      previous: { writer: { writer_id: 'a' }, version: 1 },
    })
    expect(metadata.hash).not.toBe(metadata.previous.hash)
  })

  test('nothing of ours is beside the keys, and deletion takes empty folders away', async () => {
    const root = tempFolder()
    const state = await open(root)
    await state.write('a/b/c', '1')
    await state.delete('a/b/c')
    expect(readdirSync(join(root, 's'))).toEqual(['.agent_state_meta'])
    expect(readdirSync(join(root, 's/.agent_state_meta'))).toEqual(['.agent_state_tmp.reprise'])
  })
})

describe('what upstream writes', () => {
  test('is read with its owner, listed, and written over under the conflict rules', async () => {
    const root = tempFolder()
    upstreamWrites(root, 'plan.md', 'from upstream', 'upstream-writer')
    upstreamWrites(root, 'deep/x', 'no owner', null)
    await using state = await resumeState(root, 's', { writerId: 'me', conflictPolicy: 'error' })
    expect(await state.list()).toEqual(['deep/x', 'plan.md'])
    expect(await state.entry('plan.md')).toMatchObject({
      writer: { writerId: 'upstream-writer', instance: null },
      updatedAt: 1_700_000_000,
    })
    await expect(state.write('plan.md', 'mine')).rejects.toThrow(
      "previously written by 'upstream-writer' and is now being written by 'me'",
    )
    await state.write('deep/x', 'mine')
    expect((await state.history('deep/x')).map(({ writer }) => writer?.writerId)).toEqual([undefined, 'me'])
  })

  test('past an open handle is a new version, and is kept in the history', async () => {
    const root = tempFolder()
    const state = await open(root, { writerId: 'me', conflictPolicy: 'error' })
    const { version } = await state.write('k', 'mine')
    upstreamWrites(root, 'k', 'theirs', 'me')
    await expect(state.write('k', 'again', { ifVersion: version })).rejects.toMatchObject({
      code: 'state-version-mismatch',
    })
    await expect(state.write('k', 'again')).rejects.toMatchObject({ code: 'state-conflict' })
    expect(await state.read('k')).toBe('theirs')
    await state.write('k', 'again')
    const history = await state.history('k')
    expect(history.map((past) => past.version.split('-')[0])).toEqual(['2', '3'])
    expect(new TextDecoder().decode(await state.readVersion('k', history[0]?.version ?? ''))).toBe('theirs')
  })

  test('and stops halfway: new content with the old metadata has no owner', async () => {
    const root = tempFolder()
    const state = await open(root, { writerId: 'me' })
    await state.write('k', 'mine')
    writeFileSync(join(root, 's/k.new'), 'half done')
    renameSync(join(root, 's/k.new'), join(root, 's/k'))
    expect(await state.entry('k')).toMatchObject({ writer: null, version: expect.stringMatching(/^2-/) })
  })

  test('as temp files of a crash: not listed, and cleaned when an hour old', async () => {
    const root = tempFolder()
    upstreamWrites(root, 'k', 'v', 'w')
    for (const name of ['.k..agent_state_tmp.old', '.k..agent_state_tmp.new'])
      writeFileSync(join(root, 's', name), 'temp')
    utimesSync(join(root, 's/.k..agent_state_tmp.old'), 1, 1)
    const state = await open(root)
    expect(await state.list()).toEqual(['k'])
    expect(readdirSync(join(root, 's')).sort()).toEqual(['.agent_state_meta', '.k..agent_state_tmp.new', 'k'])
  })

  test('with damaged metadata: read, but not written over', async () => {
    const root = tempFolder()
    upstreamWrites(root, 'k', 'v', 'w')
    writeFileSync(join(root, 's/.agent_state_meta/k.json'), '{"writer":')
    const state = await open(root)
    expect(await state.read('k')).toBe('v')
    await expect(state.write('k', 'w')).rejects.toThrow(/^agent_state: failed to parse metadata .*k\.json: /)
    expect(await state.read('k')).toBe('v')
  })
})

describe('names that lie in each other’s way', () => {
  test('the metadata of x and of x.json/y both have a place', async () => {
    const root = tempFolder()
    for (const order of [
      ['x', 'x.json/y'],
      ['q.json/y', 'q'],
    ]) {
      for (const writerId of ['a', 'b']) {
        const state = await open(root, { writerId })
        for (const key of order) await state.write(key, `${key} ${writerId}`)
        for (const key of order) expect(await state.entry(key), key).toMatchObject({ writer: { writerId } })
      }
    }
    const state = await open(root)
    for (const key of ['x', 'q']) await state.delete(key)
    for (const key of ['x.json/y', 'q.json/y']) await state.write(key, 'again')
    expect(await state.list()).toEqual(['q.json/y', 'x.json/y'])
    for (const key of ['x.json/y', 'q.json/y']) expect((await state.entry(key))?.writer?.writerId).toBe('s')
  })

  test('an empty folder is no key and in nobody’s way', async () => {
    const root = tempFolder()
    const state = await open(root)
    mkdirSync(join(root, 's/empty/inner'), { recursive: true })
    expect(await state.read('empty')).toBe(null)
    await state.write('empty', 'now a key')
    expect(await state.list()).toEqual(['empty'])
  })

  test('portable: keys that differ only in case or Unicode form are refused', async () => {
    const root = tempFolder()
    const state = await open(root, { portable: true })
    await state.write('Notes/caf\u00e9.md', '1')
    for (const key of ['notes/x', 'Notes/CAF\u00c9.md', 'Notes/cafe\u0301.md']) {
      await expect(state.write(key, '2'), key).rejects.toMatchObject({ code: 'state-key-collision' })
      expect(await state.read(key), key).toBe(null)
    }
    await expect(initState(root, { sessionId: 'S', portable: true })).rejects.toMatchObject({
      code: 'state-key-collision',
    })
    await expect(resumeState(root, 'S', { portable: true })).rejects.toMatchObject({
      code: 'state-session-missing',
    })
    expect(await state.list()).toEqual(['Notes/caf\u00e9.md'])
  })
})

test('history survives a file that is changed in place', async () => {
  const root = tempFolder()
  const state = await open(root)
  const { version } = await state.write('k', 'one')
  await state.write('k', 'two')
  writeFileSync(join(root, 's/k'), 'edited in place')
  expect(new TextDecoder().decode(await state.readVersion('k', version))).toBe('one')
  expect(await state.entry('k')).toMatchObject({ writer: null })
  await state.write('k', 'three')
  expect((await state.history('k')).map(({ sizeBytes }) => sizeBytes)).toEqual([3, 15, 5])
})

test('a session that is removed while a handle is open is made again by a write', async () => {
  const root = tempFolder()
  const state = await open(root)
  await state.write('k', '1')
  rmSync(join(root, 's'), { recursive: true })
  expect(await state.read('k')).toBe(null)
  expect(await state.list()).toEqual([])
  await state.write('k', '2')
  expect(readFileSync(join(root, 's/k'), 'utf8')).toBe('2')
})

test('closing leaves no ticket and no lock behind', async () => {
  const root = tempFolder()
  const state = await open(root)
  await state.write('k', '1')
  await state.close()
  const ours = join(root, 's/.agent_state_meta/.agent_state_tmp.reprise')
  expect(readdirSync(ours).sort()).toEqual(['history', 'probe-\u00e9', 'staging'])
  expect(existsSync(join(ours, 'lock'))).toBe(false)
  // A hard link of the user's own is no concern of ours.
  linkSync(join(root, 's/k'), join(root, 'elsewhere'))
  expect(await (await open(root)).read('k')).toBe('1')
})
