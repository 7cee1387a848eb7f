/** Harn's agent_state: handoffs, keys, files (D42 to D48, D50 to D58, D61, D62, D64). */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import {
  HANDOFF_KEY,
  initState,
  normaliseKey,
  resumeState,
  type StateHandle,
} from '../../../src/state/index.ts'
import { reprise } from '../../support/cli.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { differs, same, superset } from '../../support/upstream.ts'

const fixture = readFileSync(join(import.meta.dirname, '../../fixtures/state/typed-handoff.json'), 'utf8')
const open = (): Promise<StateHandle> => initState('s', tempFolder(), { writerId: 'w' })
const call = (f: (...args: never[]) => unknown, ...args: readonly unknown[]): unknown =>
  Reflect.apply(f, undefined, args)

describe('handoff', () => {
  same('D42', 'the envelope has type, version, session, root, key, summary, writer and time', async () => {
    const state = await open()
    await state.handoff({ status: 'ready' })
    const { written_at, ...envelope } = JSON.parse((await state.read(HANDOFF_KEY)) ?? '')
    expect(Number.isInteger(written_at)).toBe(true)
    expect(envelope).toMatchObject({
      _type: 'agent_state_handoff',
      version: 1,
      session_id: 's',
      root: state.root,
      key: '__handoff.json',
      summary: { status: 'ready' },
      writer: { writer_id: 'w', stage_id: null, session_id: 's', worker_id: null },
    })
  })
  same('D43', 'it is pretty JSON with sorted keys', async () => {
    const state = await open()
    await state.handoff({ b: 1, a: { d: 1, c: 2 } })
    const text = (await state.read(HANDOFF_KEY)) ?? ''
    expect(text.startsWith('{\n  "_type": "agent_state_handoff",\n  "handoff": null,\n  "key"')).toBe(true)
    expect(text).toContain('"a": {\n      "c": 2,\n      "d": 1\n    },\n    "b": 1')
  })
  superset('D44', 'it has no other keys', async () => {
    const state = await open()
    await state.handoff({})
    const keys = Object.keys(JSON.parse((await state.read(HANDOFF_KEY)) ?? ''))
    expect(keys).toEqual([
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
  })
  same('D45', 'the summary must be a JSON object', async () =>
    expect(call((await open()).handoff, [])).rejects.toThrow('`summary` must be a JSON object'),
  )
  same('D46', 'the summary is required', async () =>
    expect(call((await open()).handoff)).rejects.toThrow('`summary` is required'),
  )
  same('D47', 'it goes through the conflict rules', async () => {
    const state = await open()
    await state.handoff({})
    const other = await resumeState(state.root, 's', { writerId: 'other', conflictPolicy: 'error' })
    await expect(other.handoff({})).rejects.toMatchObject({ code: 'state-conflict' })
  })
  same('D48', 'a summary that is no JSON is an error, and nothing is written', async () => {
    const state = await open()
    const circular: Record<string, unknown> = {}
    circular.self = circular
    await expect(state.handoff(circular)).rejects.toThrow()
    expect(await state.list()).toEqual([])
  })
  same('D58', "Harn's handoffs are read, also typed ones, and typed ones are written", async () => {
    const root = tempFolder()
    mkdirSync(join(root, 'roundtrip-session'))
    writeFileSync(join(root, 'roundtrip-session', HANDOFF_KEY), fixture)
    const state = await resumeState(root, 'roundtrip-session')
    const read = await state.readHandoff()
    const { handoff: artifact } = JSON.parse(fixture)
    expect(read).toMatchObject({
      summary: { task: 'x' },
      writtenAt: 1_777_500_000,
      handoff: {
        source: 'merge_captain',
        target: 'maintainer',
        task: 'Publish the release note',
        reason: 'Human sign-off is required',
        evidence: ['ledger.md'],
        openQuestions: ['Should the rollout wait for EU business hours?'],
      },
    })
    expect(read?.handoff?.artifact).toEqual(artifact)
    expect((await reprise(['state', 'handoff', '--root', root, '--session', 'roundtrip-session'])).code).toBe(
      0,
    )

    const writer = await initState('s', tempFolder())
    const stored = async (): Promise<unknown> => JSON.parse((await writer.read(HANDOFF_KEY)) ?? '').handoff
    await writer.handoff({ task: 'x' }, { handoff: artifact })
    expect(await stored()).toEqual(artifact)
    await writer.handoff(artifact)
    expect(await stored()).toEqual(artifact)
    await writer.handoff(read?.summary ?? {}, read?.handoff === null ? {} : { handoff: read?.handoff })
    expect(await stored()).toEqual(artifact)
    const { source_persona: _, ...incomplete } = artifact
    await expect(writer.handoff({ ...incomplete, _type: 'handoff_artifact' })).rejects.toThrow(
      'handoff source_persona is required',
    )
  })
})

describe('keys and files', () => {
  same('D50', 'keys are nested, and listed sorted', async () => {
    const state = await open()
    for (const key of ['b', 'a/c', 'a/b']) await state.write(key, key)
    expect([await state.list(), await state.read('a/c')]).toEqual([['a/b', 'a/c', 'b'], 'a/c'])
  })
  same('D51', 'delete removes the metadata and empty folders', async () => {
    const state = await open()
    await state.write('a/b/c', 'x')
    await state.delete('a/b/c')
    expect(readdirSync(join(state.root, 's'))).toEqual(['.agent_state_meta'])
    expect(existsSync(join(state.root, 's/.agent_state_meta/a/b/c.json'))).toBe(false)
  })
  same(
    'D52',
    'keys that leave the session, are absolute, reserved or blank are refused, with the key in the message',
    () => {
      const rows: readonly [string, string][] = [
        ['../x', "agent_state: key '../x' must not escape the session root"],
        ['/abs', "agent_state: key '/abs' must be relative"],
        ['.agent_state_meta/x', "agent_state: key '.agent_state_meta/x' uses a reserved internal path"],
        [' ', 'agent_state: key must be a non-empty relative path'],
        ['.', 'agent_state: key must contain at least one path component'],
      ]
      for (const [key, message] of rows) expect(() => normaliseKey(key)).toThrow(message)
    },
  )
  differs('D53', 'a session id is joined to the root as it is', async () => {
    const root = tempFolder()
    for (const sessionId of ['a/b', '../x', '/abs', '..']) {
      await expect(initState(sessionId, root)).rejects.toMatchObject({ code: 'state-session-invalid' })
    }
    expect(readdirSync(root)).toEqual([])
  })
  superset('D54', 'a write is a temporary file, a flush and a rename', async () => {
    const state = await open()
    await state.write('k', 'one')
    await state.write('k', 'two')
    expect(readFileSync(join(state.root, 's/k'), 'utf8')).toBe('two')
    expect((await state.history('k')).map(({ version }) => version.split('-')[0])).toEqual(['1', '2'])
  })
  same('D55', "upstream's variable for a crash between flush and rename works", () =>
    crash('HARN_AGENT_STATE_ABORT_AFTER_TMP_WRITE'),
  )
  superset('D56', 'metadata are at .agent_state_meta/<key>.json, with writer and updated_at', async () => {
    const state = await open()
    await state.write('evidence/a.json', 'x')
    const metadata = JSON.parse(
      readFileSync(join(state.root, 's/.agent_state_meta/evidence/a.json.json'), 'utf8'),
    )
    expect(metadata).toMatchObject({
      writer: { writer_id: 'w', session_id: 's' },
      updated_at: expect.any(Number),
    })
  })
  same('D57', 'a session that Harn wrote opens', async () => {
    const root = tempFolder()
    mkdirSync(join(root, 's/.agent_state_meta'), { recursive: true })
    writeFileSync(join(root, 's/plan.md'), 'by Harn')
    writeFileSync(join(root, 's/.plan.md..agent_state_tmp.0198'), 'half')
    writeFileSync(
      join(root, 's/.agent_state_meta/plan.md.json'),
      '{\n  "writer": {"writer_id": "harn"},\n  "updated_at": 1\n}',
    )
    const state = await resumeState(root, 's')
    expect([await state.list(), await state.read('plan.md')]).toEqual([['plan.md'], 'by Harn'])
    expect((await state.entry('plan.md'))?.writer?.writerId).toBe('harn')
  })
})

describe("upstream's own tests", () => {
  same('D61', 'round trip, delete and list in a folder', async () => {
    const state = await open()
    await state.write('plan.md', 'hello')
    await state.write('evidence/a.json', '{}')
    expect(await state.list()).toEqual(['evidence/a.json', 'plan.md'])
    await state.delete('plan.md')
    expect([await state.read('plan.md'), await state.list()]).toEqual([null, ['evidence/a.json']])
  })
  same('D62', 'keys with .. are refused', async () =>
    expect((await open()).write('../oops', 'x')).rejects.toThrow('must not escape the session root'),
  )
  same('D64', 'an abort after the temporary file leaves the old content whole', () =>
    crash('REPRISE_STATE_ABORT_AFTER_TMP_WRITE'),
  )
})

function crash(variable: string): void {
  const root = tempFolder()
  mkdirSync(join(root, 'session-crash'))
  writeFileSync(join(root, 'session-crash', 'plan.md'), 'before')
  const worker = join(import.meta.dirname, '../../state/workers/write-key.mjs')
  const { signal } = spawnSync(process.execPath, [worker, root, 'session-crash', 'plan.md', 'after'], {
    env: { ...process.env, [variable]: '1' },
  })
  expect(signal).toBe('SIGABRT')
  expect(readFileSync(join(root, 'session-crash', 'plan.md'), 'utf8')).toBe('before')
}
