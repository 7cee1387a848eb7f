/**
 * What every state driver promises: one suite, run on each of the four. `place` gives a root of its own for a
 * test.
 */
import { expect, onTestFinished, test } from 'vitest'
import {
  type Conflict,
  initState,
  listSessions,
  resumeState,
  type StateHandle,
  type StateOptions,
  withSession,
} from '../../src/state/index.ts'
import { keyRows } from './key-rows.ts'

export type ContractPlace = { readonly name: string; readonly place: () => Promise<string> | string }

export function stateContract({ name, place }: ContractPlace): void {
  const open = async (options: Parameters<typeof initState>[1] = {}, root?: string): Promise<StateHandle> => {
    const handle = await initState(root ?? (await place()), { sessionId: 's', ...options })
    onTestFinished(() => handle.close())
    return handle
  }
  const second = async (
    first: StateHandle,
    root: string,
    options: StateOptions = {},
  ): Promise<StateHandle> => {
    const handle = await resumeState(root, first.sessionId, options)
    onTestFinished(() => handle.close())
    return handle
  }
  /**
   * Named memory stores and the other roots are shared; `memory:` alone is not, so the place must have a
   * name.
   */
  const pair = async (
    a: StateOptions,
    b: StateOptions,
    how: 'init' | 'resume',
  ): Promise<[StateHandle, StateHandle, string]> => {
    const root = await place()
    const first = await open(a, root)
    return [first, how === 'init' ? await open(b, root) : await second(first, root, b), root]
  }

  test(`${name}: round trip, list and delete`, async () => {
    const state = await open({ writerId: 'writer-a' })
    await state.write('plan.md', 'plan')
    await state.write('evidence/a.json', '{"ok":true}')
    expect(await state.read('plan.md')).toBe('plan')
    expect(await state.list()).toEqual(['evidence/a.json', 'plan.md'])
    expect(await state.delete('plan.md')).toBe(true)
    expect(await state.read('plan.md')).toBe(null)
    expect(await state.list()).toEqual(['evidence/a.json'])
    expect(await state.delete('plan.md')).toBe(false)
  })

  test(`${name}: content comes back to the byte`, async () => {
    const state = await open()
    const bytes = Uint8Array.from({ length: 256 }, (_, at) => at)
    await state.write('bytes', bytes)
    await state.write('empty', '')
    await state.write('text', '\ufeffbyte order mark, \u{1f600}, \r\n, \u0000 end')
    expect(await state.readBytes('bytes')).toEqual(bytes)
    expect(await state.read('empty')).toBe('')
    expect(await state.read('text')).toBe('\ufeffbyte order mark, \u{1f600}, \r\n, \u0000 end')
    await expect(state.read('bytes')).rejects.toMatchObject({ code: 'state-not-text' })
    await expect(state.write('half', 'a\ud800')).rejects.toMatchObject({ code: 'state-content-invalid' })
    const big = new Uint8Array(3_000_000).fill(7)
    await state.write('big', big)
    expect((await state.readBytes('big'))?.byteLength).toBe(3_000_000)
  })

  test(`${name}: keys are normalised and refused in upstream's words`, async () => {
    const state = await open()
    for (const { key, normal, error } of keyRows) {
      if (normal === undefined) await expect(state.write(key, 'x'), key).rejects.toThrow(error)
      else {
        await state.write(key, 'x')
        expect(await state.list(), key).toEqual([normal])
        expect(await state.read(normal), key).toBe('x')
        await state.delete(key)
      }
    }
    expect(await state.list()).toEqual([])
  })

  test(`${name}: keys are listed in the order of their bytes`, async () => {
    const state = await open()
    const keys = ['b', 'a/b', 'a.b', 'B', 'ä', '\u{10ffff}', '\uffee', 'a-b', '__handoff.json']
    for (const key of keys) await state.write(key, key)
    expect(await state.list()).toEqual([
      'B',
      '__handoff.json',
      'a-b',
      'a.b',
      'a/b',
      'b',
      'ä',
      '\uffee',
      '\u{10ffff}',
    ])
  })

  test(`${name}: a key and a folder of that name cannot be there together`, async () => {
    const state = await open()
    await state.write('a', '1')
    const clash = { code: 'state-key-clash' }
    await expect(state.write('a/b', '2')).rejects.toMatchObject({
      ...clash,
      details: { key: 'a/b', other: 'a' },
    })
    await expect(state.read('a/b')).rejects.toMatchObject(clash)
    await expect(state.delete('a/b')).rejects.toMatchObject(clash)
    await state.write('c/d/e', '3')
    await expect(state.write('c', '4')).rejects.toMatchObject({
      ...clash,
      details: { key: 'c', other: 'c/d/e' },
    })
    await expect(state.write('c/d', '4')).rejects.toMatchObject(clash)
    await expect(state.read('c/d')).rejects.toMatchObject(clash)
    await expect(state.delete('c')).rejects.toMatchObject(clash)
    await state.delete('c/d/e')
    await state.write('c', '5')
    expect(await state.list()).toEqual(['a', 'c'])
  })

  test(`${name}: sessions are apart, found and refused`, async () => {
    const root = await place()
    const one = await open({ sessionId: 'one' }, root)
    const two = await open({ sessionId: 'two' }, root)
    await one.write('k', '1')
    expect(await two.read('k')).toBe(null)
    expect(await listSessions(root)).toEqual(['one', 'two'])
    await expect(resumeState(root, 'three')).rejects.toThrow(
      /^agent_state\.resume: session 'three' not found under /,
    )
    for (const bad of [
      '../x',
      '/abs',
      'a/b',
      '..',
      '.',
      '',
      '  ',
      'a\0b',
      'C:x',
      '.agent_state_meta',
      'x.agent_state_tmp.1',
      'a\\b',
      'x'.repeat(201),
    ]) {
      await expect(resumeState(root, bad), bad).rejects.toMatchObject({ code: 'state-session-invalid' })
    }
    const resumed = await second(one, root)
    expect(await resumed.read('k')).toBe('1')
  })

  test(`${name}: the session id is given, else active, else fresh`, async () => {
    const root = await place()
    const active = await withSession('active-1', () => initState(root))
    const fresh = await initState(root, { sessionId: '  ' })
    onTestFinished(async () => void (await Promise.all([active.close(), fresh.close()])))
    expect(active.sessionId).toBe('active-1')
    expect(active.writer.writerId).toBe('active-1')
    expect(fresh.sessionId).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  })

  test(`${name}: a handle serialises as upstream's`, async () => {
    const state = await open({ workerId: 'w1', conflictPolicy: 'STRICT' })
    expect(JSON.parse(JSON.stringify(state))).toEqual({
      _type: 'state_handle',
      backend: name,
      root: state.root,
      session_id: 's',
      handoff_key: '__handoff.json',
      conflict_policy: 'error',
      writer: { writer_id: 'w1', stage_id: 'w1', session_id: 's', worker_id: 'w1' },
      instance: expect.stringMatching(/^[0-9a-f-]{36}$/),
    })
  })

  test(`${name}: two writers conflict, both are named, nothing changes`, async () => {
    const [first, other] = await pair(
      { writerId: 'writer-a' },
      { writerId: 'writer-b', conflictPolicy: 'error' },
      'resume',
    )
    await first.write('ledger.md', 'one')
    await expect(other.write('ledger.md', 'two')).rejects.toMatchObject({
      code: 'state-conflict',
      message:
        "agent_state.write: key 'ledger.md' was previously written by 'writer-a' and is now being written by 'writer-b'",
    })
    expect(await other.read('ledger.md')).toBe('one')
    // Having read it does not make it the other's own.
    await expect(other.write('ledger.md', 'two')).rejects.toMatchObject({ code: 'state-conflict' })
    await other.delete('ledger.md')
    await other.write('ledger.md', 'three')
    expect((await other.entry('ledger.md'))?.writer?.writerId).toBe('writer-b')
  })

  test(`${name}: warn writes, says so once, and ownership moves`, async () => {
    const told: Conflict[] = []
    const [first, other] = await pair(
      { writerId: 'a' },
      { writerId: 'b', conflictPolicy: 'warning', onConflict: (conflict) => told.push(conflict) },
      'resume',
    )
    await first.write('k', '1')
    const outcome = await other.write('k', '2')
    expect(outcome.conflict?.message).toBe(
      "agent_state.write: key 'k' was previously written by 'a' and is now being written by 'b'",
    )
    await other.write('k', '3')
    expect(told).toHaveLength(1)
    expect(told[0]).toMatchObject({ key: 'k', previous: { writerId: 'a' }, current: { writerId: 'b' } })
    expect(await first.read('k')).toBe('3')
  })

  test(`${name}: writing over an unseen version of one's own writer id is a conflict`, async () => {
    const [first, other] = await pair({ conflictPolicy: 'error' }, { conflictPolicy: 'error' }, 'init')
    await first.write('k', '1')
    await expect(other.write('k', '2')).rejects.toThrow(
      /^agent_state\.write: key 'k' was previously written by 's \(instance [0-9a-f]{12}\)' and is now being written by 's \(instance [0-9a-f]{12}\)'$/,
    )
    await other.read('k')
    await other.write('k', '2')
    await expect(first.write('k', '3')).rejects.toMatchObject({ code: 'state-conflict' })
    await first.read('k')
    await first.write('k', '3')
    await first.write('k', '4')
  })

  test(`${name}: resume counts as seen, what came later does not`, async () => {
    const root = await place()
    const first = await open({}, root)
    await first.write('k', '1')
    const resumed = await second(first, root, { conflictPolicy: 'error' })
    await resumed.write('k', '2')
    await first.write('k', '3')
    await expect(resumed.write('k', '4')).rejects.toMatchObject({ code: 'state-conflict' })
    expect(await resumed.read('k')).toBe('3')
  })

  test(`${name}: compare-and-swap writes over the named version only`, async () => {
    const [first, other] = await pair({ writerId: 'a' }, { writerId: 'b' }, 'resume')
    const { version } = await first.write('k', '1', { ifVersion: null })
    expect(version).toMatch(/^1-[0-9a-f]{16}$/)
    await expect(other.write('k', '2', { ifVersion: null })).rejects.toMatchObject({
      code: 'state-version-mismatch',
      message: `agent_state: key 'k' is at version '${version}' by 'a', not absent as 'b' expects`,
    })
    const next = await other.write('k', '1', { ifVersion: version })
    expect(next.version).toBe(version.replace(/^1/, '2'))
    await expect(first.write('k', '3', { ifVersion: version })).rejects.toMatchObject({
      code: 'state-version-mismatch',
    })
    await expect(first.delete('k', { ifVersion: version })).rejects.toMatchObject({
      code: 'state-version-mismatch',
    })
    await expect(first.write('k', '3', { ifVersion: 'seven' })).rejects.toMatchObject({ code: 'usage' })
    expect(await first.read('k')).toBe('1')
    await first.delete('k', { ifVersion: next.version })
    const back = await first.write('k', '1', { ifVersion: null })
    expect(back.version).toMatch(/^4-/)
  })

  test(`${name}: update loses nothing between handles`, async () => {
    const [first, other] = await pair({}, {}, 'resume')
    const add = (state: StateHandle): Promise<unknown> => state.update('n', (n) => `${Number(n ?? 0) + 1}`)
    await Promise.all(Array.from({ length: 20 }, (_, at) => add(at % 2 === 0 ? first : other)))
    expect(await first.read('n')).toBe('20')
  })

  test(`${name}: a transaction changes all keys or none`, async () => {
    const state = await open()
    await state.write('a', '1')
    await state.write('old', 'x')
    const result = await state.transaction(async (tx) => {
      await tx.write('a', `${Number(await tx.read('a')) + 1}`)
      await tx.write('b/c', 'new')
      await tx.delete('old')
      await tx.write('old/now-a-folder', 'y')
      expect(await tx.read('a')).toBe('2')
      expect(await tx.list()).toEqual(['a', 'b/c', 'old/now-a-folder'])
      return 'done'
    })
    expect(result).toBe('done')
    expect(await state.list()).toEqual(['a', 'b/c', 'old/now-a-folder'])
    const failing = state.transaction(async (tx) => {
      await tx.write('a', '99')
      await tx.delete('b/c')
      throw new Error('changed my mind')
    })
    await expect(failing).rejects.toThrow('changed my mind')
    expect(await state.read('a')).toBe('2')
    expect(await state.read('b/c')).toBe('new')
    // Whatever its code, an error of the work is the caller's: not the disk's, not the server's, and nothing
    // to try again.
    for (const code of ['ENOENT', '40001', 'ERR_SQLITE_ERROR', 'mine']) {
      const own = Object.assign(new Error('my own'), { code })
      let runs = 0
      const refused = state.transaction(async () => {
        runs += 1
        throw own
      })
      await expect(refused).rejects.toBe(own)
      expect(runs).toBe(1)
    }
    await expect(state.transaction(async (tx) => void (await tx.write('a/x', '1')))).rejects.toMatchObject({
      code: 'state-key-clash',
    })
    await expect(state.transaction(async () => void (await state.write('z', '1')))).rejects.toMatchObject({
      code: 'state-transaction-nested',
    })
  })

  test(`${name}: a transaction does not wait for another handle of its own code`, async () => {
    const [first, other] = await pair({}, {}, 'resume')
    await expect(first.transaction(async () => void (await other.write('k', '1')))).rejects.toMatchObject({
      code: 'state-transaction-nested',
    })
    let over: () => void = () => undefined
    const committed = new Promise<void>((resolve) => {
      over = resolve
    })
    let later: Promise<unknown> = Promise.resolve()
    await first.transaction(async (tx) => {
      await tx.write('k', '2')
      later = committed.then(() => other.write('k', '3'))
    })
    over()
    await later
    expect(await first.read('k')).toBe('3')
  })

  test(`${name}: a transaction is judged like its writes`, async () => {
    const [first, other] = await pair({ writerId: 'a' }, { writerId: 'b', conflictPolicy: 'error' }, 'resume')
    await first.write('k', '1')
    const outcome = other.transaction(async (tx) => {
      await tx.write('fresh', '1')
      await tx.write('k', '2')
    })
    await expect(outcome).rejects.toMatchObject({ code: 'state-conflict' })
    expect(await other.list()).toEqual(['k'])
  })

  test(`${name}: transactions of two handles do not mix`, async () => {
    const [first, other] = await pair({}, {}, 'resume')
    await first.transaction(async (tx) => {
      await tx.write('x', '50')
      await tx.write('y', '50')
    })
    const move = (state: StateHandle, by: number): Promise<void> =>
      state.transaction(async (tx) => {
        const [x, y] = [Number(await tx.read('x')), Number(await tx.read('y'))]
        await tx.write('x', `${x - by}`)
        await tx.write('y', `${y + by}`)
      })
    await Promise.all([...Array(6).keys()].map((at) => move(at % 2 === 0 ? first : other, at + 1)))
    expect([await first.read('x'), await first.read('y')]).toEqual(['29', '71'])
  })

  test(`${name}: history, old versions and diff`, async () => {
    const state = await open({ writerId: 'a', historyLimit: 3 })
    const versions: string[] = []
    for (const text of ['one\n', 'one\ntwo\n', 'two\n']) versions.push((await state.write('k', text)).version)
    expect(
      (await state.history('k')).map(({ version, deleted, sizeBytes }) => ({ version, deleted, sizeBytes })),
    ).toEqual([
      { version: versions[0], deleted: false, sizeBytes: 4 },
      { version: versions[1], deleted: false, sizeBytes: 8 },
      { version: versions[2], deleted: false, sizeBytes: 4 },
    ])
    expect(new TextDecoder().decode(await state.readVersion('k', versions[1] ?? ''))).toBe('one\ntwo\n')
    expect(await state.diff('k', versions[0] ?? '', versions[1])).toBe(
      `--- k ${versions[0]}\n+++ k ${versions[1]}\n@@ -1,1 +1,2 @@\n one\n+two\n`,
    )
    expect(await state.diff('k', versions[1] ?? '')).toBe(
      `--- k ${versions[1]}\n+++ k ${versions[2]}\n@@ -1,2 +1,1 @@\n-one\n two\n`,
    )
    await state.delete('k')
    await state.write('k', 'back')
    const history = await state.history('k')
    expect(history.map(({ version }) => version.split('-')[0])).toEqual(['2', '3', '4', '5'])
    expect(history.map(({ deleted }) => deleted)).toEqual([false, false, true, false])
    expect(
      history.every(({ writer, updatedAt }) => writer?.writerId === 'a' && typeof updatedAt === 'number'),
    ).toBe(true)
    await expect(state.readVersion('k', versions[0] ?? '')).rejects.toMatchObject({
      code: 'state-version-missing',
    })
    await expect(state.readVersion('k', history[2]?.version ?? '')).rejects.toMatchObject({
      code: 'state-version-missing',
    })
    expect(await state.history('never')).toEqual([])
  })

  test(`${name}: without history nothing old is kept`, async () => {
    const state = await open({ historyLimit: 0 })
    for (const text of ['1', '2', '3']) await state.write('k', text)
    expect(await state.history('k')).toHaveLength(1)
    expect((await state.write('k', '4')).version).toMatch(/^4-/)
  })

  test(`${name}: JSON with and without a schema`, async () => {
    const state = await open()
    const schema = (value: unknown): { n: number } => {
      if (typeof value === 'object' && value !== null && 'n' in value && typeof value.n === 'number')
        return { n: value.n }
      throw new Error('n must be a number')
    }
    await state.writeJson('j', { n: 1 }, { schema })
    expect(await state.readJson('j', schema)).toEqual({ n: 1 })
    expect(await state.readJson('missing', schema)).toBe(null)
    await state.writeJson('j', { n: 'x' })
    expect(await state.readJson('j')).toEqual({ n: 'x' })
    await expect(state.readJson('j', schema)).rejects.toMatchObject({
      code: 'state-schema',
      message: expect.stringContaining('n must be a number'),
    })
    await state.write('j', '{')
    await expect(state.readJson('j')).rejects.toMatchObject({ code: 'state-not-json' })
    await expect(state.writeJson('j', undefined)).rejects.toMatchObject({ code: 'state-content-invalid' })
  })

  test(`${name}: handoff, plain and typed`, async () => {
    const state = await open({ writerId: 'planner', workerId: 'w' })
    await state.handoff({ done: ['a'], b: { z: 1, a: 2 } })
    const text = await state.read('__handoff.json')
    expect(JSON.parse(text ?? '')).toEqual({
      _type: 'agent_state_handoff',
      version: 1,
      session_id: 's',
      root: state.root,
      key: '__handoff.json',
      summary: { done: ['a'], b: { z: 1, a: 2 } },
      handoff: null,
      writer: { writer_id: 'planner', stage_id: 'w', session_id: 's', worker_id: 'w' },
      written_at: expect.any(Number),
    })
    expect(Object.keys(JSON.parse(text ?? ''))).toEqual([
      '_type',
      'handoff',
      'key',
      'root',
      'session_id',
      'summary',
      'version',
      'writer',
      'written_at',
    ])
    const handoff = {
      source: 'planner',
      target: 'coder',
      task: 'build',
      reason: 'plan is done',
      evidence: ['plan.md'],
      openQuestions: ['which db?'],
    }
    await state.handoff({}, { handoff })
    expect((await state.readHandoff())?.handoff).toEqual(handoff)
    await expect(state.handoff({}, { handoff: { ...handoff, task: ' ' } })).rejects.toMatchObject({
      code: 'state-handoff-invalid',
    })
    await expect(state.handoff([] as never)).rejects.toThrow('`summary` must be a JSON object')
    await state.write('__handoff.json', '{"_type":"other"}')
    await expect(state.readHandoff()).rejects.toMatchObject({ code: 'state-handoff-invalid' })
  })

  test(`${name}: watch tells what changes, by whom ever`, async () => {
    const [first, other] = await pair({}, {}, 'resume')
    await first.write('before', '1')
    const watch = await first.watch()
    onTestFinished(() => watch.close())
    const changes = watch[Symbol.asyncIterator]()
    const { version } = await other.write('k', '1')
    expect((await changes.next()).value).toEqual({ key: 'k', version })
    await other.delete('before')
    expect((await changes.next()).value).toEqual({ key: 'before', version: null })
    watch.close()
    expect((await changes.next()).done).toBe(true)
  })

  test(`${name}: a closed handle is refused`, async () => {
    const state = await open()
    await state.close()
    await state.close()
    await expect(state.write('k', '1')).rejects.toMatchObject({ code: 'state-closed' })
    await expect(state.read('k')).rejects.toMatchObject({ code: 'state-closed' })
  })

  test(`${name}: unknown policies are refused, the known spellings taken`, async () => {
    const spellings = {
      '': 'ignore',
      off: 'ignore',
      ' Ignore ': 'ignore',
      warning: 'warn',
      WARN: 'warn',
      strict: 'error',
      error: 'error',
    }
    for (const [spelling, policy] of Object.entries(spellings))
      expect((await open({ conflictPolicy: spelling })).conflictPolicy).toBe(policy)
    await expect(open({ conflictPolicy: 'loud' })).rejects.toThrow(
      "agent_state: unknown conflict policy 'loud'",
    )
  })
}
