/** Fizeau's cassette package: the recorder, and how files are written and read (B64 to B85, B102 to B111). */
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { createTerminal, FILES, open, verifyCassette } from '../../../src/cassette/index.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { differs, same, superset } from '../../support/upstream.ts'
import { recorded, recordedToEnd, recorderAt, VT10X } from './recorded-cassette.ts'

const fixtures = join(import.meta.dirname, '../../fixtures/cassette')
const written = async (...given: Parameters<typeof recorded>) =>
  JSON.parse((await recorded(...given)).text(FILES.manifest))

describe('Create', () => {
  differs('B64', 'Create writes into the folder, over what is there', async () => {
    const { out } = await recorded()
    expect(() => recorderAt(out)).toThrow(expect.objectContaining({ code: 'out-exists' }))
    const recorder = recorderAt(out, {}, { force: true })
    expect(recorder.path).toBe(`${out}.partial-${process.pid}`)
    recorder.abandon()
  })
  same('B65', 'Create refuses a newer schema', () => {
    const out = join(tempFolder(), 'c')
    mkdirSync(out)
    writeFileSync(join(out, FILES.manifest), '{"version":2}')
    for (const force of [false, true]) {
      expect(() => recorderAt(out, {}, { force })).toThrow(
        'cassette: refuse to overwrite newer schema version 2',
      )
    }
  })
  same('B66', 'the default id is a UUID of version 4', async () =>
    expect((await written()).id).toMatch(
      /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    ),
  )
  same('B67', 'the default workdir_policy is unspecified, also for ""', async () => {
    expect((await written()).command.workdir_policy).toBe('unspecified')
    expect((await written(undefined, { command: { workdirPolicy: '' } })).command.workdir_policy).toBe(
      'unspecified',
    )
  })
  same('B68', 'the default size is 24 by 80', async () => {
    const { terminal } = await written(undefined, { terminal: { initialRows: 0, initialCols: 0 } })
    expect(terminal).toMatchObject({ initial_rows: 24, initial_cols: 80 })
  })
  differs('B69', 'the default emulator is vt10x', async () => {
    expect((await written()).terminal.emulator).toMatchObject({ name: '@xterm/headless' })
    expect(
      (await written(undefined, { terminal: { emulator: { name: '', version: 'x' } } })).terminal.emulator
        .name,
    ).toBe('@xterm/headless')
  })
  same('B70', 'time is in steps of 100, monotonic-elapsed, collapsed, also for "" and 0', async () => {
    const timing = { resolution_ms: 100, clock_policy: 'monotonic-elapsed', replay_default: 'collapsed' }
    expect((await written()).timing).toEqual(timing)
    const empty = { resolutionMs: 0, clockPolicy: '', replayDefault: '' }
    expect((await written(undefined, { timing: empty })).timing).toEqual(timing)
    for (const resolutionMs of [-1, 0.5]) {
      expect(() => recorderAt(join(tempFolder(), 'c'), { timing: { resolutionMs } })).toThrow(
        expect.objectContaining({ code: 'cassette-resolution' }),
      )
    }
  })
  same('B71', 'recorded_at is RFC 3339, UTC, whole seconds', async () =>
    expect((await written()).provenance.recorded_at).toBe('1970-01-01T00:01:40Z'),
  )
  differs('B72', 'the default recorder_version is internal/pty/cassette/v1', async () => {
    expect((await written()).provenance.recorder_version).toMatch(/^reprise\//)
    expect(
      (await written(undefined, { provenance: { recorderVersion: '' } })).provenance.recorder_version,
    ).toMatch(/^reprise\//)
  })
})

describe('the recorder', () => {
  same('B73', 'Close may be called twice', async () => {
    const { out, recorder } = await recorded()
    expect(await recorder.close()).toBe(out)
  })
  same('B74', 'Close without a final record is an error', async () => {
    const recorder = recorderAt(join(tempFolder(), 'c'))
    await expect(recorder.close()).rejects.toThrow('missing required final.json')
    expect(existsSync(recorder.path)).toBe(true)
  })
  same('B75', 'the manifest is written last: its presence makes a cassette', async () => {
    const out = join(tempFolder(), 'c')
    const recorder = recorderAt(out)
    recorder.recordFinal()
    expect(existsSync(join(recorder.path, FILES.manifest))).toBe(false)
    await recorder.close()
    expect(existsSync(join(out, FILES.manifest))).toBe(true)
  })
  same('B76', 'Manifest has the digest after Close', async () => {
    const { out, recorder } = await recorded((rec) => void rec.recordOutput(Buffer.from('x')))
    const { sha256 } = recorder.manifest().contentDigest
    expect(sha256).toBe('2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881')
    expect((await open(out, { expectedBinding: { sha256 } })).manifest().contentDigest.sha256).toBe(sha256)
  })
  differs('B77', 'a second RecordFinal overwrites the first', async () => {
    const twice = recordedToEnd((recorder) => {
      recorder.recordFinal()
      recorder.recordFinal()
    })
    await expect(twice).rejects.toMatchObject({ code: 'cassette-final-twice' })
  })
  same('B78', 'RecordFrame stores the frame that it is given', async () => {
    const { out } = await recorded((recorder) => {
      const terminal = createTerminal({ rows: 2, cols: 4 })
      recorder.recordFrame({ ...terminal.snapshot(), text: ['x'], rawEnd: 1, parserOffset: 1 })
      terminal.dispose()
    })
    expect((await open(out)).frames()).toMatchObject([
      { size: { rows: 2, cols: 4 }, text: ['x'], rawEnd: 1, parserOffset: 1 },
    ])
  })
  same('B79', 'RecordInput takes kind, bytes, key, size, signal', async () => {
    const { out } = await recorded(
      (recorder) => void recorder.recordInput({ kind: 'signal', signal: 'kill' }),
    )
    expect((await open(out)).inputs()).toMatchObject([
      { kind: 'signal', bytes: null, key: '', size: null, signal: 'kill' },
    ])
  })
  same('B80', 'RecordOutput takes an empty chunk too', async () => {
    const { text } = await recorded((recorder) => void recorder.recordOutput(new Uint8Array()))
    expect(JSON.parse(text(FILES.output))).toMatchObject({
      length: 0,
      sha256: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    })
  })
  same('B81', 'RecordServiceEvent takes any JSON', async () => {
    const payloads = [{ a: 1 }, 'text', null, [1, 2], 7]
    const { out } = await recorded((recorder) =>
      payloads.forEach((payload) => void recorder.recordServiceEvent(payload)),
    )
    expect((await open(out)).serviceEvents().map(({ payload }) => payload)).toEqual(payloads)
  })
  superset('B82', 'RecordSessionEvent stores input, resize, signal, output', async () => {
    const { out } = await recordedToEnd((recorder) => {
      recorder.recordSessionEvent({
        atMs: 0,
        kind: 'input',
        bytes: Buffer.from('x'),
        key: 'enter',
        reply: false,
      })
      recorder.recordSessionEvent({ atMs: 0, kind: 'resize', size: { rows: 3, cols: 4 } })
      recorder.recordSessionEvent({ atMs: 0, kind: 'signal', signal: 'kill' })
      recorder.recordSessionEvent({ atMs: 0, kind: 'output', bytes: Buffer.from('x') })
      const exit = { code: 7, signal: '', exited: true, signaled: false }
      recorder.recordSessionEvent({ atMs: 0, kind: 'exit', exit, timedOut: false })
      recorder.recordFinal()
    })
    const reader = await open(out)
    expect(reader.events().map(({ kind }) => kind)).toEqual(['input', 'input', 'input', 'output', 'final'])
    expect(reader.final().exit?.code).toBe(7)
  })
  same('B83', 'WriteDiscovery and WriteQuota take no seq', async () => {
    const { out } = await recorded((recorder) => {
      recorder.writeQuota({ source: 's', status: 'ok' })
      recorder.writeDiscovery({ source: 's', status: 'ok' })
    })
    expect((await open(out)).final().seq).toBe(1)
  })
  differs('B84', 'WriteScrubReport stores the report that it is given', async () => {
    const { text } = await recorded((recorder) =>
      recorder.writeScrubReport({ intentionallyPreserved: ['exit_code'] }),
    )
    expect(JSON.parse(text(FILES.scrubReport))).toMatchObject({
      status: 'clean',
      intentionally_preserved: ['exit_code'],
    })
    expect(JSON.parse(text(FILES.scrubReport)).rules).toContain('key-shapes')
  })
  same('B85', 'a recorder takes a clock', async () => {
    const { text } = await recordedToEnd(
      (recorder) => void recorder.recordFinal(),
      {},
      { clock: { now: () => 0, elapsed: () => 0 } },
    )
    expect(JSON.parse(text(FILES.final))).toEqual({ seq: 1, t_ms: 0, duration_ms: 0 })
  })
})

describe('files', () => {
  same('B102', 'the payload of a service event is JSON as given', async () => {
    const { text } = await recorded(
      (recorder) => void recorder.recordServiceEvent({ b: [1, { d: null, c: 'x' }], a: 1.5 }),
    )
    expect(text(FILES.serviceEvents)).toBe(
      '{"seq":1,"t_ms":0,"payload":{"a":1.5,"b":[1,{"c":"x","d":null}]}}\n',
    )
  })
  same('B104', 'terminal has locale, term and pty_mode', async () => {
    const terminal = { locale: 'C.UTF-8', term: 'xterm', ptyMode: { outer: 'creack/pty' }, emulator: VT10X }
    expect((await written(undefined, { terminal })).terminal).toEqual({
      ...{ initial_rows: 24, initial_cols: 80, locale: 'C.UTF-8', term: 'xterm' },
      ...{ pty_mode: { outer: 'creack/pty' }, emulator: VT10X },
    })
  })
  same('B105', 't_ms is rounded down to the resolution', async () => {
    const { out } = await recorded((recorder) =>
      [1, 2, 3, 4, 5].forEach((n) => void recorder.recordServiceEvent(n)),
    )
    expect((await open(out)).events().map(({ tMs }) => tMs)).toEqual([0, 0, 100, 100, 100, 200])
  })
  same('B106', 'timing has three fields', async () =>
    expect(Object.keys((await written()).timing)).toEqual([
      'resolution_ms',
      'clock_policy',
      'replay_default',
    ]),
  )
  same('B107', 'files are 0600, the folder 0750', async () => {
    const { out } = await recorded()
    expect(statSync(out).mode & 0o777).toBe(0o750)
    expect(
      Object.values(FILES).flatMap((name) =>
        existsSync(join(out, name)) ? [statSync(join(out, name)).mode & 0o777] : [],
      ),
    ).toEqual(Array(8).fill(0o600))
  })
  same('B108', 'JSON is written as Go writes it', async () => {
    const { text } = await recorded((recorder) => void recorder.recordServiceEvent({ b: '<&>\u2028', a: {} }))
    expect(text(FILES.serviceEvents)).toContain('"payload":{"a":{},"b":"\\u003c\\u0026\\u003e\\u2028"}')
    expect(text(FILES.final)).toMatch(/^\{\n {2}"seq": 2,\n/)
    expect(text(FILES.final)).toMatch(/\n\}\n$/)
  })
  same('B109', 'JSON is read as Go reads it: keys in any case, frames without a size', async () => {
    const folder = join(fixtures, 'opencode')
    const reader = await open(folder)
    expect(reader.frames()[0]?.text[0]).toBe('opencode/gpt-5.4')
    expect(await verifyCassette(folder)).toMatchObject({
      ok: true,
      findings: [{ code: 'digests-foreign', severity: 'note' }],
    })
  })
  differs('B110', 'an unknown field of the manifest is ignored', async () => {
    const { out, text } = await recorded()
    const edited = text(FILES.manifest).replace(
      '"version": 1,',
      '"version": 1, "future_optional": {"ok": true},',
    )
    writeFileSync(join(out, FILES.manifest), edited)
    await expect(open(out)).rejects.toMatchObject({ code: 'cassette-file-digest' })
    expect((await open(out, { digests: false })).manifest().version).toBe(1)
    const foreign = join(tempFolder(), 'c')
    mkdirSync(foreign)
    for (const name of Object.values(FILES)) {
      const path = join(fixtures, 'opencode', name)
      if (existsSync(path)) writeFileSync(join(foreign, name), readFileSync(path))
    }
    const manifest = readFileSync(join(foreign, FILES.manifest), 'utf8')
    writeFileSync(join(foreign, FILES.manifest), manifest.replace('{', '{"future_optional": {"ok": true},'))
    expect((await open(foreign)).manifest().version).toBe(1)
  })
  same('B111', 'optional.reprise.frames says how frames are stored', async () => {
    const frames = async (fullCells: boolean, mark: boolean): Promise<unknown> =>
      (await written((recorder) => void (mark && recorder.markFrame()), {}, { fullCells })).optional.reprise
        .frames
    expect([await frames(false, true), await frames(true, true), await frames(true, false)]).toEqual([
      'delta-1',
      'cells',
      'none',
    ])
  })
})
