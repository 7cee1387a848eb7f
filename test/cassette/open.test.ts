/**
 * One row per check of `open`, in the order of the checks; the shared fixture opens, the other "version 1"
 * shape is refused by name.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type OpenOptions, open } from '../../src/cassette/index.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { type Documents, documents, RAW, sha256, writeCassette } from './written-cassette.ts'

const fixtures = join(import.meta.dirname, '../fixtures/cassette')

type Row = {
  readonly check: string
  readonly bend?: (parts: Documents) => void
  readonly without?: readonly string[]
  readonly options?: OpenOptions
  readonly code: string
  readonly says: string
}

const rows: Row[] = [
  {
    check: '1 manifest there',
    without: ['manifest.json'],
    code: 'cassette-file-missing',
    says: 'required artifact manifest.json',
  },
  {
    check: '1 manifest an object',
    bend: (p) => Object.assign(p, { manifest: [] }),
    code: 'cassette-manifest-invalid',
    says: 'the document is a list',
  },
  {
    check: '1 types in the manifest',
    bend: (p) => Object.assign(p.manifest, { id: 7 }),
    code: 'cassette-manifest-invalid',
    says: 'id is a number, not a string',
  },
  {
    check: '2 version missing',
    bend: (p) => Object.assign(p.manifest, { version: 0 }),
    code: 'cassette-version-missing',
    says: 'missing manifest.version',
  },
  {
    check: '2 version newer',
    bend: (p) => Object.assign(p.manifest, { version: 2 }),
    code: 'cassette-version',
    says: 'unsupported manifest.version 2',
  },
  {
    check: '3 id',
    bend: (p) => Object.assign(p.manifest, { id: '' }),
    code: 'cassette-id-missing',
    says: 'missing manifest.id',
  },
  {
    check: '4 digest',
    bend: (p) => Object.assign(p.manifest, { content_digest: {} }),
    code: 'cassette-digest-missing',
    says: 'missing manifest.content_digest.sha256',
  },
  {
    check: '5 features',
    bend: (p) => Object.assign(p.manifest, { required_features: ['warp'] }),
    code: 'cassette-feature',
    says: 'unknown required feature flags: [warp]',
  },
  {
    check: '6 emulator',
    bend: (p) => Object.assign(p.manifest, { terminal: { emulator: { name: 'vt10x', version: '' } } }),
    options: { requiredEmulator: { name: 'vt10x', version: 'v0' } },
    code: 'cassette-emulator-missing',
    says: 'missing manifest.terminal.emulator',
  },
  {
    check: '7 expected id',
    options: { expectedBinding: { id: 'other' } },
    code: 'cassette-binding',
    says: 'manifest id mismatch: got made-by-hand want other',
  },
  {
    check: '8 expected digest',
    options: { expectedBinding: { sha256: 'ab' } },
    code: 'cassette-binding',
    says: 'manifest digest mismatch',
  },
  {
    check: '9 required emulator',
    options: { requiredEmulator: { name: 'vt10x', version: 'v1' } },
    code: 'cassette-emulator',
    says: 'emulator mismatch: got vt10x v0 want vt10x v1',
  },
  {
    check: '10 resolution',
    bend: (p) => Object.assign(p.manifest, { timing: { resolution_ms: 0 } }),
    code: 'cassette-resolution',
    says: 'invalid manifest.timing.resolution_ms',
  },
  ...[
    'input.jsonl',
    'output.raw',
    'output.jsonl',
    'frames.jsonl',
    'service-events.jsonl',
    'final.json',
    'scrub-report.json',
  ].map((name) => ({
    check: `11 ${name} there`,
    without: [name],
    code: 'cassette-file-missing',
    says: `required artifact ${name}`,
  })),
  {
    check: '12 output digest',
    bend: (p) => Object.assign(p, { raw: 'hello\r\nWorld\r\n' }),
    code: 'cassette-digest',
    says: 'output digest mismatch: manifest=',
  },
  {
    check: '13 lines decode',
    bend: (p) => Object.assign(p, { input: ['text'] }),
    code: 'cassette-file-invalid',
    says: 'input.jsonl line 1',
  },
  {
    check: '13 base64',
    bend: (p) => Object.assign(p.input[0] as object, { bytes: '%%' }),
    code: 'cassette-file-invalid',
    says: 'bytes is not base64',
  },
  {
    check: '13 final decodes',
    bend: (p) => Object.assign(p.final, { routing_actual: {} }),
    code: 'cassette-file-invalid',
    says: 'final.json: routing_actual is an object',
  },
  {
    check: '13 scrub report',
    bend: (p) => Object.assign(p.scrubReport, { rules: 'x' }),
    code: 'cassette-file-invalid',
    says: 'scrub-report.json: rules is a string',
  },
  {
    check: '14 quota decodes',
    bend: (p) => Object.assign(p, { quota: { windows: [1] } }),
    code: 'cassette-file-invalid',
    says: 'quota.json: windows[0] is a number',
  },
  {
    check: '15 seq missing',
    bend: (p) => Object.assign(p.final, { seq: 8 }),
    code: 'cassette-seq',
    says: 'non-contiguous event seq got=8 want=7',
  },
  {
    check: '15 seq twice',
    bend: (p) => Object.assign(p.final, { seq: 6 }),
    code: 'cassette-seq',
    says: 'non-contiguous event seq got=6 want=7',
  },
  {
    check: '15 seq from 1',
    bend: (p) => Object.assign(p.input[0] as object, { seq: 0 }),
    code: 'cassette-seq',
    says: 'got=0 want=1',
  },
  {
    check: '16 time',
    bend: (p) => Object.assign(p.final, { t_ms: 149 }),
    code: 'cassette-time',
    says: 'event t_ms regressed',
  },
  {
    check: '17 range',
    bend: (p) => Object.assign(p.output[1] as object, { length: 8 }),
    code: 'cassette-chunk',
    says: 'output chunk out of range seq=4',
  },
  {
    check: '17 negative',
    bend: (p) => Object.assign(p.output[1] as object, { offset: -7 }),
    code: 'cassette-chunk',
    says: 'output chunk out of range seq=4',
  },
  {
    check: '17 overflow',
    bend: (p) => Object.assign(p.output[1] as object, { offset: 9007199254740991, length: 9007199254740991 }),
    code: 'cassette-chunk',
    says: 'output chunk out of range seq=4',
  },
  {
    check: '17 chunk digest',
    bend: (p) => Object.assign(p.output[0] as object, { sha256: sha256('x') }),
    code: 'cassette-chunk-digest',
    says: 'chunk digest mismatch seq=2',
  },
]

describe('open refuses', () => {
  for (const row of rows) {
    test(row.check, async () => {
      const parts = documents()
      row.bend?.(parts)
      const folder = writeCassette(join(tempFolder(), 'c'), parts, row.without)
      await expect(open(folder, row.options)).rejects.toMatchObject({
        code: row.code,
        message: expect.stringContaining(row.says),
      })
    })
  }

  test('a folder that is not there, and a file', async () => {
    const folder = tempFolder()
    writeFileSync(join(folder, 'file'), 'x')
    await expect(open(join(folder, 'none'))).rejects.toMatchObject({ code: 'not-found' })
    await expect(open(join(folder, 'file'))).rejects.toMatchObject({ code: 'not-found' })
  })

  for (const name of ['claude', 'codex', 'live/claude', 'live/codex']) {
    test(`the service-event shape: ${name}`, async () => {
      await expect(open(join(fixtures, 'service-event-shape', name))).rejects.toMatchObject({
        code: 'cassette-shape',
      })
    })
  }

  test('JSON nested beyond all measure', async () => {
    const folder = writeCassette(join(tempFolder(), 'c'), documents())
    writeFileSync(
      join(folder, 'service-events.jsonl'),
      `{"seq":6,"t_ms":150,"payload":${'['.repeat(200_000)}`,
    )
    await expect(open(folder)).rejects.toMatchObject({ code: 'cassette-file-invalid' })
  })
})

describe('open accepts', () => {
  test('the cassette that every row above bends, with each half of the binding', async () => {
    const folder = writeCassette(join(tempFolder(), 'c'), documents())
    const reader = await open(folder, {
      expectedBinding: { id: 'made-by-hand', sha256: sha256(RAW) },
      requiredEmulator: { name: 'vt10x', version: 'v0' },
    })
    expect(reader.events().map((event) => [event.seq, event.tMs, event.kind])).toEqual([
      [1, 0, 'input'],
      [2, 50, 'output'],
      [3, 50, 'input'],
      [4, 100, 'output'],
      [5, 100, 'frame'],
      [6, 150, 'service-event'],
      [7, 150, 'final'],
    ])
    expect(Buffer.from(reader.inputs()[0]?.bytes ?? []).toString()).toBe('/model\r')
    expect(reader.inputs()[1]?.size).toEqual({ rows: 30, cols: 100 })
    expect(reader.outputChunks().map((chunk) => Buffer.from(reader.outputBytes(chunk)).toString())).toEqual([
      'hello\r\n',
      'world\r\n',
    ])
    expect(reader.frames()[0]?.cursor).toEqual({ row: 2, col: 0, visible: true })
    expect(reader.final().exit).toEqual({ code: 0, signal: '', exited: true, signaled: false })
    expect([reader.quota(), reader.discovery(), reader.incomplete]).toEqual([null, null, false])
    expect(() => reader.outputBytes({ seq: 9, offset: 1, length: Number.MAX_SAFE_INTEGER })).toThrow(
      /out of range/,
    )
  })

  test('the shared fixture, whose nested keys are lower case', async () => {
    const reader = await open(join(fixtures, 'pi-model_surface'))
    expect(reader.manifest()).toMatchObject({
      id: 'pi-model-surface-golden-master',
      harness: { name: 'pi', binaryVersion: '0.0.1' },
    })
    expect(reader.frames()[0]).toMatchObject({
      size: { rows: 24, cols: 80 },
      cursor: { row: 2, col: 0, visible: false },
      rawEnd: 210,
    })
    expect(reader.final()).toMatchObject({
      seq: 5,
      tMs: 400,
      durationMs: 400,
      routingActual: 'pi',
      exit: { code: 0 },
    })
    expect(reader.scrubReport()).toEqual({
      status: '',
      rules: [],
      hitCounts: {},
      envAllowlist: [],
      intentionallyPreserved: [],
    })
    const discovery = reader.discovery()
    expect(discovery?.models).toHaveLength(5)
    expect(discovery?.isFresh(Date.parse('2026-08-28T20:00:00Z'))).toBe(true)
    expect(discovery?.isFresh(new Date('2026-08-29T03:12:35Z'))).toBe(false)
  })

  test('records without line ends, blank lines, trailing text after a document', async () => {
    const folder = writeCassette(join(tempFolder(), 'c'), documents())
    const [first, second] = documents().input
    writeFileSync(
      join(folder, 'input.jsonl'),
      `\n${JSON.stringify(first)}${JSON.stringify(second, null, 1)}\n\n`,
    )
    writeFileSync(join(folder, 'final.json'), `${JSON.stringify(documents().final)} and more`)
    expect((await open(folder)).inputs()).toHaveLength(2)
  })
})
