/** Fizeau's cassette package: constants and records (B1 to B44). */
import { expect } from 'vitest'
import { CASSETTE_VERSION, createTerminal, FILES, open } from '../../../src/cassette/index.ts'
import { goArch, goOs } from '../../../src/cassette/recorder/go-names.ts'
import { differs, same, superset } from '../../support/upstream.ts'
import { BLANK, recorded, recordedToEnd, VT10X } from './recorded-cassette.ts'

same('B1', 'the version is 1', () => expect(CASSETTE_VERSION).toBe(1))
same('B2', 'the manifest is manifest.json', () => expect(FILES.manifest).toBe('manifest.json'))
same('B3', 'input is input.jsonl', () => expect(FILES.input).toBe('input.jsonl'))
same('B4', 'raw output is output.raw', () => expect(FILES.raw).toBe('output.raw'))
same('B5', 'output events are output.jsonl', () => expect(FILES.output).toBe('output.jsonl'))
same('B6', 'frames are frames.jsonl', () => expect(FILES.frames).toBe('frames.jsonl'))
same('B7', 'service events are service-events.jsonl', () =>
  expect(FILES.serviceEvents).toBe('service-events.jsonl'),
)
same('B8', 'the end is final.json', () => expect(FILES.final).toBe('final.json'))
same('B9', 'quota is quota.json', () => expect(FILES.quota).toBe('quota.json'))
same('B10', 'discovery is discovery.json', () => expect(FILES.discovery).toBe('discovery.json'))
same('B11', 'the scrub report is scrub-report.json', () =>
  expect(FILES.scrubReport).toBe('scrub-report.json'),
)

same('B12', 'a clock of the caller gives the time and what has elapsed', async () => {
  const { text } = await recorded((recorder) => void recorder.recordServiceEvent({}))
  expect(JSON.parse(text(FILES.manifest)).provenance.recorded_at).toBe('1970-01-01T00:01:40Z')
})

const COMMAND = {
  argv: ['sh'],
  workdirPolicy: 'tempdir',
  envAllowlist: ['PATH'],
  timeoutMs: 1000,
  permissionMode: 'read-only',
}
const command = async (draft: Partial<typeof COMMAND>): Promise<unknown> =>
  JSON.parse((await recorded(undefined, { command: draft })).text(FILES.manifest)).command

same('B13', 'command.argv is left out if empty', async () => {
  expect(await command({ argv: ['sh', '-c', 'true'] })).toMatchObject({ argv: ['sh', '-c', 'true'] })
  expect(await command({})).not.toHaveProperty('argv')
})
same('B14', 'command.workdir_policy is always written', async () =>
  expect(await command({})).toEqual({ workdir_policy: 'unspecified' }),
)
same('B15', 'command.env_allowlist is left out if empty', async () =>
  expect(await command({ envAllowlist: ['PATH'] })).toEqual({
    workdir_policy: 'unspecified',
    env_allowlist: ['PATH'],
  }),
)
same('B16', 'command.timeout_ms is left out if 0', async () =>
  expect(await command({ timeoutMs: 5 })).toEqual({ workdir_policy: 'unspecified', timeout_ms: 5 }),
)
same('B17', 'command.permission_mode is left out if empty', async () =>
  expect(await command({ permissionMode: 'safe' })).toEqual({
    workdir_policy: 'unspecified',
    permission_mode: 'safe',
  }),
)
same('B18', 'content_digest.sha256 is the SHA-256 of output.raw', async () => {
  const { text } = await recorded((recorder) => void recorder.recordOutput(Buffer.from('hello\n')))
  const digest = '5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03'
  expect(JSON.parse(text(FILES.manifest)).content_digest).toEqual({ sha256: digest })
})

const DISCOVERY = {
  source: 'pty',
  status: 'ok',
  models: ['a', 'b'],
  reasoningLevels: ['low'],
  capturedAt: '2026-04-22T12:00:00Z',
  freshnessWindow: '24h0m0s',
  stalenessBehavior: 'record again',
  metadata: { detail: '' },
}
same('B19', 'discovery has source and status', async () => {
  const { text } = await recorded((recorder) => recorder.writeDiscovery({ source: 'pty', status: 'ok' }))
  expect(JSON.parse(text(FILES.discovery))).toEqual({ source: 'pty', status: 'ok' })
})
same('B20', 'discovery has models and reasoning levels', async () => {
  const { out } = await recorded((recorder) => recorder.writeDiscovery(DISCOVERY))
  expect((await open(out)).discovery()).toMatchObject({ models: ['a', 'b'], reasoningLevels: ['low'] })
})
superset('B21', 'discovery has time, window, behaviour when stale and metadata', async () => {
  const discovery = (
    await open((await recorded((recorder) => recorder.writeDiscovery(DISCOVERY))).out)
  ).discovery()
  expect(discovery).toMatchObject(DISCOVERY)
  expect(discovery?.isFresh(Date.parse('2026-04-23T11:59:59Z'))).toBe(true)
})
same('B22', 'an emulator is a name and a version', async () => {
  const { text } = await recorded(undefined, { terminal: { emulator: VT10X } })
  expect(JSON.parse(text(FILES.manifest)).terminal.emulator).toEqual({ name: 'vt10x', version: 'test' })
})

const everyKind = () =>
  recorded((recorder) => {
    recorder.recordInput({ bytes: Buffer.from('x') })
    recorder.recordOutput(Buffer.from('x'))
    recorder.recordFrame(blankFrame())
    recorder.recordServiceEvent({ type: 'routing' })
  })
function blankFrame() {
  const terminal = createTerminal({ rows: 1, cols: 2 })
  const frame = terminal.snapshot()
  terminal.dispose()
  return frame
}
same('B23', 'an event has seq, time, kind and its one record', async () => {
  const [first] = (await open((await everyKind()).out)).events()
  expect(first).toMatchObject({
    seq: 1,
    tMs: 0,
    kind: 'input',
    input: { seq: 1, bytes: new Uint8Array(Buffer.from('x')) },
  })
})
same('B24', 'the kinds are input, output, frame, service-event, final', async () => {
  const events = (await open((await everyKind()).out)).events()
  expect(events.map(({ kind }) => kind)).toEqual(['input', 'output', 'frame', 'service-event', 'final'])
})

same('B25', 'the final record has seq and t_ms', async () => {
  const { text } = await recordedToEnd((recorder) => void recorder.recordFinal())
  expect(JSON.parse(text(FILES.final))).toMatchObject({ seq: 1, t_ms: 0 })
})
same('B26', 'exit is written with Code, Signal, Exited, Signaled, Err', async () => {
  const exit = { code: 3, signal: '', exited: true, signaled: false }
  const { text } = await recordedToEnd((recorder) => void recorder.recordFinal({ exit }))
  expect(JSON.parse(text(FILES.final)).exit).toEqual({
    Code: 3,
    Signal: '',
    Exited: true,
    Signaled: false,
    Err: null,
  })
})
same(
  'B27',
  'duration_ms is always written; 0 is filled with what has elapsed; a fraction is no int64',
  async () => {
    const { text } = await recordedToEnd((recorder) => void recorder.recordFinal({ durationMs: 0 }))
    expect(JSON.parse(text(FILES.final)).duration_ms).toBe(35)
    await expect(
      recordedToEnd((recorder) => void recorder.recordFinal({ durationMs: 1.5 })),
    ).rejects.toMatchObject({ code: 'cassette-number' })
  },
)
same('B28', 'the final record has metadata, usage and cost_usd', async () => {
  const { text } = await recordedToEnd(
    (recorder) => void recorder.recordFinal({ metadata: { b: 1, a: 2 }, usage: { n: 3 }, costUsd: 0.5 }),
  )
  expect(Object.keys(JSON.parse(text(FILES.final)))).toEqual([
    'seq',
    't_ms',
    'duration_ms',
    'metadata',
    'usage',
    'cost_usd',
  ])
})
same('B29', 'the final record has routing_actual, session_log_path and final_text', async () => {
  const { text } = await recordedToEnd(
    (recorder) => void recorder.recordFinal({ routingActual: 'r', sessionLogPath: 's', finalText: 'f' }),
  )
  expect(JSON.parse(text(FILES.final))).toMatchObject({
    routing_actual: 'r',
    session_log_path: 's',
    final_text: 'f',
  })
})

const frameLine = async (fullCells = false) => {
  const cells = [[{ ...BLANK, char: 104 }, BLANK]]
  const frame = {
    ...blankFrame(),
    text: ['h'],
    cells,
    cursor: { row: 0, col: 1, visible: true },
    title: 't',
    rawEnd: 1,
    parserOffset: 1,
  }
  const { text } = await recorded((recorder) => void recorder.recordFrame(frame), {}, { fullCells })
  return JSON.parse(text(FILES.frames))
}
same('B30', 'a frame has size {Rows, Cols}', async () =>
  expect((await frameLine()).size).toEqual({ Rows: 1, Cols: 2 }),
)
same('B31', 'a frame has a text per row', async () => expect((await frameLine()).text).toEqual(['h']))
differs('B32', 'a frame has the full grid of cells', async () => {
  expect(await frameLine()).toMatchObject({
    delta: { base: 0, runs: [[0, 0, 0, 16_777_216, 16_777_217, 'h']] },
  })
  expect(await frameLine()).not.toHaveProperty('cells')
  const blank = { Char: 32, Mode: 0, FG: 16_777_216, BG: 16_777_217 }
  expect((await frameLine(true)).cells).toEqual([[{ ...blank, Char: 104 }, blank]])
})
same('B33', 'a frame has cursor {Row, Col, Visible}', async () =>
  expect((await frameLine()).cursor).toEqual({ Row: 0, Col: 1, Visible: true }),
)
same('B34', 'a frame has a title, left out if empty', async () => expect((await frameLine()).title).toBe('t'))
same('B35', 'a frame has raw_start, raw_end and parser_offset', async () =>
  expect(await frameLine()).toMatchObject({ raw_start: 0, raw_end: 1, parser_offset: 1 }),
)
same('B36', 'harness has a name and six optional fields', async () => {
  const harness = {
    name: 'h',
    binaryPathDigestSha256: 'd',
    binaryVersion: 'v',
    capability: { a: 1 },
    accountClass: 'c',
    capturedAt: 't',
    freshnessWindow: '1h',
  }
  const { text } = await recorded(undefined, { harness })
  expect(JSON.parse(text(FILES.manifest)).harness).toEqual({
    name: 'h',
    binary_path_digest_sha256: 'd',
    binary_version: 'v',
    capability: { a: 1 },
    account_class: 'c',
    captured_at: 't',
    freshness_window: '1h',
  })
  expect(JSON.parse((await recorded()).text(FILES.manifest)).harness).toEqual({ name: '' })
})
same('B37', 'input has kind, bytes in base64, key, size, signal', async () => {
  const { text } = await recorded((recorder) => {
    recorder.recordInput({ bytes: Buffer.from('/model\r'), key: 'enter' })
    recorder.recordInput({ kind: 'resize', size: { rows: 30, cols: 100 } })
    recorder.recordInput({ kind: 'signal', signal: 'kill' })
  })
  expect(text(FILES.input).trimEnd().split('\n')).toEqual([
    '{"seq":1,"t_ms":0,"kind":"input","bytes":"L21vZGVsDQ==","key":"enter"}',
    '{"seq":2,"t_ms":0,"kind":"resize","size":{"Rows":30,"Cols":100}}',
    '{"seq":3,"t_ms":100,"kind":"signal","signal":"kill"}',
  ])
})
same('B38', 'the manifest has its objects in order', async () => {
  const { text } = await recorded()
  expect(Object.keys(JSON.parse(text(FILES.manifest)))).toEqual([
    ...[
      'version',
      'id',
      'content_digest',
      'harness',
      'command',
      'terminal',
      'timing',
      'provenance',
      'optional',
    ],
  ])
})
same('B39', 'an expected id or digest is checked only if it is given', async () => {
  const { out, recorder } = await recorded(undefined, { id: 'one' })
  const { sha256 } = recorder.manifest().contentDigest
  await expect(open(out, { expectedBinding: { id: 'other' } })).rejects.toThrow(
    'manifest id mismatch: got one want other',
  )
  await expect(open(out, { expectedBinding: { id: '', sha256: 'ab' } })).rejects.toThrow(
    'manifest digest mismatch',
  )
  expect((await open(out, { expectedBinding: { id: 'one', sha256 } })).manifest().id).toBe('one')
})
same('B40', 'a required emulator must be equal in name and version', async () => {
  const { out } = await recorded(undefined, { terminal: { emulator: VT10X } })
  await expect(open(out, { requiredEmulator: { ...VT10X, version: 'other' } })).rejects.toThrow(
    'emulator mismatch',
  )
  expect((await open(out, { requiredEmulator: VT10X })).manifest().terminal.emulator).toEqual(VT10X)
})
same('B41', 'output has offset, length and sha256', async () => {
  const { text } = await recorded((recorder) => void recorder.recordOutput(Buffer.from('hello\n')))
  const digest = '5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03'
  expect(text(FILES.output)).toBe(`{"seq":1,"t_ms":0,"offset":0,"length":6,"sha256":"${digest}"}\n`)
})
same('B42', 'provenance has git_sha, contract_version, recorded_at, recorder_version', async () => {
  const provenance = {
    gitSha: 'abc',
    contractVersion: 'C-3',
    recordedAt: '2026-01-02T03:04:05Z',
    recorderVersion: 'reprise/x',
  }
  const { text } = await recorded(undefined, { provenance })
  expect(JSON.parse(text(FILES.manifest)).provenance).toMatchObject({
    git_sha: 'abc',
    contract_version: 'C-3',
    recorded_at: '2026-01-02T03:04:05Z',
    recorder_version: 'reprise/x',
  })
})
same('B43', 'provenance names system and processor as Go does', async () => {
  expect(['x64', 'ia32', 'arm64', 'arm', 's390x', 'mipsel'].map(goArch)).toEqual([
    'amd64',
    '386',
    'arm64',
    'arm',
    's390x',
    'mipsle',
  ])
  expect(['linux', 'darwin', 'win32', 'freebsd'].map(goOs)).toEqual(['linux', 'darwin', 'windows', 'freebsd'])
  const { provenance } = (await recorded()).recorder.manifest()
  expect(provenance).toMatchObject({ os: goOs(process.platform), arch: goArch(process.arch) })
})
superset('B44', 'quota has eight fields', async () => {
  const quota = {
    source: 'pty',
    status: 'ok',
    capturedAt: '2026-04-22T12:00:00Z',
    freshnessWindow: '15m0s',
    stalenessBehavior: 'limited',
    accountClass: 'max',
    windows: [{ limit_id: 'session' }],
    metadata: { plan_type: 'max' },
  }
  const read = (await open((await recorded((recorder) => recorder.writeQuota(quota))).out)).quota()
  expect(read).toMatchObject(quota)
  expect(read?.isFresh(Date.parse('2026-04-22T12:14:59Z'))).toBe(true)
})
