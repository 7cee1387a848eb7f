/** Harn's agent_state: sessions, handles, options, conflicts (D1 to D41, D49, D59, D60, D63). */
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import { describe, expect } from 'vitest'
import {
  type Conflict,
  HANDOFF_KEY,
  initState,
  openState,
  parseConflictPolicy,
  resumeState,
  type StateHandle,
  type StateOptions,
  withSession,
} from '../../../src/state/index.ts'
import { writerName } from '../../../src/state/writer.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { differs, same, superset } from '../../support/upstream.ts'

const open = (options: Parameters<typeof initState>[1] = {}): Promise<StateHandle> =>
  initState(tempFolder(), options)
const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
/** A call as JavaScript allows it, whatever the types say. */
const call = (f: (...args: never[]) => unknown, ...args: readonly unknown[]): unknown =>
  Reflect.apply(f, undefined, args)

describe('init and resume', () => {
  same('D1', 'a handle is a state_handle', async () =>
    expect((await open()).toJSON()._type).toBe('state_handle'),
  )
  same('D2', 'the handoff is __handoff.json', () => expect(HANDOFF_KEY).toBe('__handoff.json'))
  same('D3', 'init creates <root>/<session>', async () => {
    const root = tempFolder()
    await initState(root, { sessionId: 's' })
    expect(existsSync(join(root, 's'))).toBe(true)
  })
  same('D4', 'init(root, options?)', async () => expect((await open({ sessionId: 's' })).sessionId).toBe('s'))
  same('D5', 'init(session_id, root, options?)', async () => {
    const root = tempFolder()
    const state = await initState('sess-x', root, { writerId: 'w' })
    expect([state.sessionId, state.root, state.writer.writerId]).toEqual(['sess-x', root, 'w'])
    expect(readdirSync(root)).toEqual(['sess-x'])
    expect(existsSync('sess-x')).toBe(false)
  })
  same('D6', 'init refuses arguments of another shape', async () => {
    const shape = 'expected `(root, options?)` or `(session_id, root, options?)`'
    for (const args of [[], [7], ['r', 7], ['r', {}, {}], [{}, 'r'], ['r', null, {}]]) {
      await expect(call(initState, ...args)).rejects.toMatchObject({
        code: 'state-arguments',
        message: `agent_state.init: ${shape}`,
      })
    }
    await expect(call(initState, 's', tempFolder(), 'strict')).rejects.toMatchObject({
      code: 'state-arguments',
    })
  })
  same('D7', 'resume(root, session_id, options?)', async () => {
    const root = tempFolder()
    await (await initState(root, { sessionId: 's' })).write('k', 'v')
    expect(await (await resumeState(root, 's', { writerId: 'w' })).read('k')).toBe('v')
  })
  same('D8', 'resume of a session that is not there', async () => {
    const root = tempFolder()
    await expect(resumeState(root, 'X')).rejects.toThrow(
      `agent_state.resume: session 'X' not found under ${root}`,
    )
  })
  same('D9', 'resume refuses a blank session id', async () =>
    expect(resumeState(tempFolder(), ' ')).rejects.toMatchObject({ code: 'state-session-invalid' }),
  )
})

describe('the functions', () => {
  same('D10', 'write(handle, key, content)', async () =>
    expect((await (await open()).write('k', 'v')).version).toMatch(/^1-/),
  )
  same('D11', 'read gives the text, or nothing', async () => {
    const state = await open()
    await state.write('k', 'v')
    expect([await state.read('k'), await state.read('none')]).toEqual(['v', null])
  })
  same('D12', 'list gives the keys', async () => {
    const state = await open()
    await state.write('b', '')
    await state.write('a/c', '')
    expect(await state.list()).toEqual(['a/c', 'b'])
  })
  superset('D13', 'delete removes a key', async () => {
    const state = await open()
    await state.write('k', 'v')
    expect([await state.delete('k'), await state.delete('k'), await state.read('k')]).toEqual([
      true,
      false,
      null,
    ])
  })
  same('D14', 'handoff(handle, summary)', async () => {
    const state = await open()
    await state.handoff({ done: true })
    expect((await state.readHandoff())?.summary).toEqual({ done: true })
  })
  same('D15', 'a handle can be serialised and used again; a wrong one is refused', async () => {
    const root = tempFolder()
    const state = await initState(root, {
      sessionId: 's',
      writerId: 'w',
      stageId: 'st',
      conflictPolicy: 'error',
    })
    await state.write('k', '1')
    for (const handle of [JSON.parse(JSON.stringify(state)), JSON.stringify(state)]) {
      const again = await openState(handle)
      expect([again.sessionId, again.conflictPolicy, again.writer.writerId, again.writer.stageId]).toEqual([
        's',
        'error',
        'w',
        'st',
      ])
      await again.write('k', '2')
    }
    expect(await state.read('k')).toBe('2')
    const rows: readonly [unknown, string][] = [
      [undefined, '`handle` is required'],
      [7, '`handle` must be a state_handle dict'],
      [{ _type: 'other' }, '`handle` must be a state_handle dict'],
      ['no JSON', '`handle` must be a state_handle dict'],
      [{ _type: 'state_handle', session_id: 's' }, 'state_handle is missing `root`'],
      [{ _type: 'state_handle', root }, 'state_handle is missing `session_id`'],
    ]
    for (const [handle, says] of rows) {
      await expect(openState(handle)).rejects.toMatchObject({
        code: 'state-handle-invalid',
        message: expect.stringContaining(says),
      })
    }
  })
  superset('D16', 'a handle has backend, root, session, handoff key, policy and writer', async () =>
    expect(Object.keys((await open()).toJSON())).toEqual([
      ...['_type', 'backend', 'root', 'session_id', 'handoff_key', 'conflict_policy', 'writer', 'instance'],
    ]),
  )
  same('D17', 'the backend of a folder is filesystem', async () =>
    expect((await open()).backend).toBe('filesystem'),
  )
  same('D18', 'a writer has four ids, nil where unset', async () =>
    expect((await open({ sessionId: 's' })).toJSON().writer).toEqual({
      writer_id: 's',
      stage_id: null,
      session_id: 's',
      worker_id: null,
    }),
  )
  differs('D19', 'any value as key or content is stringified', async () => {
    const state = await open()
    await state.write(7, 1.5)
    await state.write(true, false)
    expect([await state.read('7'), await state.read('true'), await state.list()]).toEqual([
      '1.5',
      'false',
      ['7', 'true'],
    ])
    await expect(call(state.write, {}, 'x')).rejects.toMatchObject({ code: 'state-key-invalid' })
    await expect(call(state.write, 'k', { a: 1 })).rejects.toMatchObject({ code: 'state-content-invalid' })
  })
  same('D20', 'an empty text is a content', async () => {
    const state = await open()
    await state.write('k', '')
    expect(await state.read('k')).toBe('')
  })
  same('D21', 'a key must not be empty', async () =>
    expect((await open()).write('', 'x')).rejects.toThrow(
      'agent_state: key must be a non-empty relative path',
    ),
  )
  same('D22', 'a relative root is resolved', async () => {
    const state = await initState('memory:')
    expect(state.root).toBe('memory:')
    const cwd = process.cwd()
    const folder = tempFolder()
    process.chdir(folder)
    try {
      const inFolder = await initState('relative')
      expect(isAbsolute(inFolder.root)).toBe(true)
      expect(existsSync(join(folder, 'relative'))).toBe(true)
    } finally {
      process.chdir(cwd)
    }
  })
})

describe('ids and options', () => {
  same(
    'D23',
    'the session id is given, else the option, else that of the active session, else fresh',
    async () => {
      expect((await initState('given', tempFolder(), {})).sessionId).toBe('given')
      await withSession('active', async () => {
        expect((await open({ session_id: 'option' })).sessionId).toBe('option')
        expect((await open({ sessionId: ' ' })).sessionId).toBe('active')
      })
      expect((await open()).sessionId).toMatch(UUID_V7)
    },
  )
  same('D24', 'a fresh id is a UUID of version 7', async () =>
    expect((await open()).sessionId).toMatch(UUID_V7),
  )
  same('D25', 'options have snake_case names; an unknown one is refused', async () => {
    const options = {
      session_id: 's',
      writer_id: 'w',
      stage_id: 'st',
      worker_id: 'wk',
      conflict_policy: 'strict',
    }
    const state = await open(options)
    expect(state.toJSON()).toMatchObject({
      session_id: 's',
      conflict_policy: 'error',
      writer: { writer_id: 'w', stage_id: 'st', worker_id: 'wk' },
    })
    for (const wrong of [{ writer: 'x' }, { sessionID: 'x' }, { conflictpolicy: 'error' }]) {
      await expect(call(initState, tempFolder(), wrong)).rejects.toMatchObject({ code: 'state-arguments' })
    }
    await expect(call(resumeState, state.root, 's', { writter_id: 'x' })).rejects.toThrow(
      "unknown option 'writter_id'",
    )
  })
  same('D26', 'worker_id is an option', async () =>
    expect((await open({ worker_id: 'wk' })).writer.workerId).toBe('wk'),
  )
  same('D27', 'stage_id is an option, else worker_id', async () => {
    expect((await open({ stage_id: 'st', worker_id: 'wk' })).writer.stageId).toBe('st')
    expect((await open({ worker_id: 'wk' })).writer.stageId).toBe('wk')
  })
  same('D28', 'writer_id is an option, else worker_id, stage_id, session_id', async () => {
    const writer = async (options: StateOptions): Promise<unknown> =>
      (await initState('s', tempFolder(), options)).writer.writerId
    expect([
      await writer({ writer_id: 'w', worker_id: 'wk' }),
      await writer({ worker_id: 'wk', stage_id: 'st' }),
      await writer({ stage_id: 'st' }),
      await writer({}),
    ]).toEqual(['w', 'wk', 'st', 's'])
  })
  differs('D29', "ids fall back to those of the host's mutation session", async () => {
    await withSession('active', async () => {
      const { writer } = await open()
      expect(writer).toMatchObject({ sessionId: 'active', writerId: 'active', workerId: null, stageId: null })
    })
  })
  same('D30', 'blank options count as none', async () =>
    expect((await initState('s', tempFolder(), { writer_id: ' ', stage_id: '' })).writer).toMatchObject({
      writerId: 's',
      stageId: null,
    }),
  )
  same('D31', 'the default policy is ignore', async () =>
    expect((await open()).conflictPolicy).toBe('ignore'),
  )
  same('D32', 'conflict_policy is an option', async () =>
    expect((await open({ conflict_policy: 'warn' })).conflictPolicy).toBe('warn'),
  )
  same('D33', 'two_writer is another name for it', async () =>
    expect((await open({ two_writer: 'error' })).conflictPolicy).toBe('error'),
  )
  same('D34', 'policies have several spellings, in any case', () => {
    const spellings = ['ignore', 'off', '', 'warn', 'Warning', ' error ', 'STRICT']
    expect(spellings.map(parseConflictPolicy)).toEqual([
      'ignore',
      'ignore',
      'ignore',
      'warn',
      'warn',
      'error',
      'error',
    ])
  })
  same('D35', 'an unknown policy is refused', async () =>
    expect(open({ two_writer: 'x' })).rejects.toThrow("agent_state: unknown conflict policy 'x'"),
  )
})

/** A key that `first` wrote, and a second writer with this policy. */
async function twoWriters(policy: string, options: StateOptions = {}) {
  const root = tempFolder()
  const first = await initState('s', root, { writerId: 'first' })
  await first.write('k', 'one')
  return {
    root,
    first,
    second: await resumeState(root, 's', { writerId: 'second', conflictPolicy: policy, ...options }),
  }
}
const MESSAGE =
  "agent_state.write: key 'k' was previously written by 'first' and is now being written by 'second'"

describe('conflicts', () => {
  same('D36', 'the message names key and writers', async () =>
    expect((await twoWriters('error')).second.write('k', 'two')).rejects.toThrow(MESSAGE),
  )
  same('D37', 'ignore is silent', async () => {
    const { second } = await twoWriters('ignore')
    expect((await second.write('k', 'two')).conflict).toBeNull()
  })
  same('D38', 'warn writes, and warns with key and writers', async () => {
    const warned: Conflict[] = []
    const { second } = await twoWriters('warn', { onConflict: (conflict) => void warned.push(conflict) })
    await second.write('k', 'two')
    expect(await second.read('k')).toBe('two')
    expect(warned).toMatchObject([
      { key: 'k', previous: { writerId: 'first' }, current: { writerId: 'second' }, message: MESSAGE },
    ])
  })
  same('D39', 'error refuses, and nothing changes', async () => {
    const { first, second } = await twoWriters('error')
    await expect(second.write('k', 'two')).rejects.toMatchObject({ code: 'state-conflict' })
    expect(await first.read('k')).toBe('one')
  })
  differs('D40', 'only different writer ids conflict', async () => {
    const root = tempFolder()
    await (await initState('s', root, { writerId: 'w' })).write('k', 'one')
    const unseen = await initState('s', root, { writerId: 'w', conflictPolicy: 'error' })
    await expect(unseen.write('k', 'two')).rejects.toMatchObject({ code: 'state-conflict' })
    const seen = await resumeState(root, 's', { writerId: 'w', conflictPolicy: 'error' })
    expect((await seen.write('k', 'two')).conflict).toBeNull()
  })
  same('D41', 'an accepted write moves the ownership', async () => {
    const { root, second } = await twoWriters('ignore')
    await second.write('k', 'two')
    const third = await resumeState(root, 's', { writerId: 'third', conflictPolicy: 'error' })
    await expect(third.write('k', 'three')).rejects.toThrow("previously written by 'second'")
  })
  same('D49', 'the name of a writer is writer, worker, stage, session, else unknown', () => {
    const writer = { writerId: 'w', workerId: 'wk', stageId: 'st', sessionId: 's', instance: null }
    const names = [
      writer,
      { ...writer, writerId: null },
      { ...writer, writerId: null, workerId: null },
      { ...writer, writerId: null, workerId: null, stageId: null },
      null,
    ].map(writerName)
    expect(names).toEqual(['w', 'wk', 'st', 's', 'unknown'])
  })
})

describe("upstream's own tests", () => {
  same('D59', 'the default session is the active one', async () =>
    withSession('agent-session', async () => expect((await open()).sessionId).toBe('agent-session')),
  )
  same('D60', 'the default writer is the session', async () =>
    withSession('agent-session', async () =>
      expect((await open()).writer).toMatchObject({ writerId: 'agent-session', sessionId: 'agent-session' }),
    ),
  )
  same('D63', 'two writers are detected', async () => {
    const { second } = await twoWriters('error')
    await expect(second.write('k', 'two')).rejects.toThrow("previously written by 'first'")
    const folder = tempFolder()
    mkdirSync(join(folder, 's/.agent_state_meta'), { recursive: true })
    writeFileSync(join(folder, 's/k'), 'by Harn')
    writeFileSync(
      join(folder, 's/.agent_state_meta/k.json'),
      '{"writer":{"writer_id":"harn"},"updated_at":1}',
    )
    const state = await resumeState(folder, 's', { writerId: 'w', conflictPolicy: 'error' })
    await expect(state.write('k', 'x')).rejects.toThrow("previously written by 'harn'")
  })
})
