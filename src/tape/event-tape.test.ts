import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { tempFolder } from '../../test/support/temp-folder.ts'
import type { Scrubbed } from '../scrub/index.ts'
import { fromDisk } from '../scrub/scrubbed.ts'
import { EventTape } from './event-tape.ts'
import { createHeader } from './header.ts'
import type { Kind, RecordKind } from './kinds.ts'
import type { TapeRecord } from './record.ts'
import { createTapeRecorder } from './recorder.ts'

const fixtures = new URL('../../test/fixtures/tape/', import.meta.url).pathname
const GOLDEN = join(fixtures, 'harn-0.8.26-replay-fidelity.tape')
const EVERY_KIND = join(fixtures, 'harn-every-kind.tape')
const HEADER =
  '{"type":"header","version":1,"harn_version":"0.8.26","started_at_unix_ms":null,"script_path":null,"argv":[]}'
const SLEEP =
  '{"type":"record","seq":0,"phase":"user_script","virtual_time_ms":5,"monotonic_ms":5,"kind":{"kind":"clock_sleep","duration_ms":5}}'

describe('a tape that upstream wrote', () => {
  test.each([GOLDEN, EVERY_KIND])('loads and persists to the same bytes', async (path) => {
    const out = join(tempFolder(), 'copy.tape')
    const tape = await EventTape.load(path)
    await tape.persist(out)
    expect(readFileSync(out)).toEqual(readFileSync(path))
  })

  test('is written byte for byte by our encoder, kind by kind', async () => {
    const tape = await EventTape.load(EVERY_KIND)
    // Copies are not the loaded objects, so they are encoded anew.
    const again = EventTape.create(
      { ...tape.header },
      tape.records.map((record) => ({ ...record })),
    )
    const out = join(tempFolder(), 'encoded.tape')
    await again.persist(out)
    expect(readFileSync(out, 'utf8')).toBe(readFileSync(EVERY_KIND, 'utf8'))
  })

  test('gives its values by name', async () => {
    const tape = await EventTape.load(GOLDEN)
    expect(tape.header).toMatchObject({
      version: 1,
      harnVersion: '0.8.26',
      startedAtUnixMs: 1767225600000,
      argv: [],
    })
    expect(tape.records[3]).toEqual({
      seq: 3,
      phase: 'user_script',
      virtualTimeMs: 1767225601000,
      monotonicMs: 1000,
      kind: { kind: 'clock_sleep', durationMs: 1000 },
    })
    expect(tape.torn).toBeNull()
  })
})

describe('what the reader does not know', () => {
  const foreign = [
    '{"type":"record","seq":0,"phase":"user_script","virtual_time_ms":0,"monotonic_ms":0,"kind":{"kind":"teleport","to":[1.0,-0.0,9007199254740993]}}',
    '{"type":"record","seq":1,"phase":"user_script","virtual_time_ms":0,"monotonic_ms":0,"kind":{"kind":"clock_sleep","duration_ms":1,"mood":{"x":1.50}}}',
    '{"type":"record","seq":2,"phase":"user_script","virtual_time_ms":9007199254740993,"monotonic_ms":0,"kind":{"kind":"file_delete","path":"a"}}',
  ]

  test('survives loading and writing, number spellings included', async () => {
    const path = tapeFile(HEADER.replace('"argv":[]', '"argv":[],"colour":2.0'), ...foreign)
    const tape = await EventTape.load(path)
    await tape.persist(`${path}.copy`)
    expect(readFileSync(`${path}.copy`, 'utf8')).toBe(readFileSync(path, 'utf8'))
  })

  test('survives a change to the record around it', async () => {
    const tape = await EventTape.load(tapeFile(HEADER, ...foreign))
    const changed = EventTape.create(
      tape.header,
      tape.records.slice(0, 2).map((record) => ({ ...record, monotonicMs: 7 })),
    )
    const out = join(tempFolder(), 'changed.tape')
    await changed.persist(out)
    expect(readFileSync(out, 'utf8').split('\n').slice(1, 3)).toEqual(
      foreign.slice(0, 2).map((line) => line.replace('"monotonic_ms":0', '"monotonic_ms":7')),
    )
  })

  test('a record that a caller changed in place is not written from its old text', async () => {
    const tape = await EventTape.load(tapeFile(HEADER, SLEEP))
    const record = tape.records[0] as { -readonly [K in keyof TapeRecord]: TapeRecord[K] }
    record.monotonicMs = 99
    const out = join(tempFolder(), 'changed.tape')
    await tape.persist(out)
    expect(readFileSync(out, 'utf8')).toContain('"monotonic_ms":99')
  })
})

describe('load refuses, each with its own code', () => {
  test.each([
    ['an empty file', '', 'tape-empty'],
    ['a first line that is no JSON', 'hello\n', 'tape-header-invalid'],
    ['a blank first line', `\n${HEADER}\n`, 'tape-header-invalid'],
    ['a record first', `${SLEEP}\n`, 'tape-header-missing'],
    ['a header without version', '{"type":"header","harn_version":"1"}\n', 'tape-header-invalid'],
    ['a newer version', `${HEADER.replace('"version":1', '"version":7')}\n`, 'tape-version'],
    ['a second header', `${HEADER}\n${HEADER}\n`, 'tape-second-header'],
    ['CRLF line ends', `${HEADER}\r\n${SLEEP}\r\n`, 'tape-crlf'],
    ['a bad line in the middle', `${HEADER}\nnope\n${SLEEP}\n`, 'tape-line-damaged'],
    ['NUL bytes in the middle', `${HEADER}\n\0\0\0${SLEEP}\n${SLEEP}\n`, 'tape-line-damaged'],
    ['glued lines', `${HEADER}\n${SLEEP}${SLEEP}\n`, 'tape-line-damaged'],
    ['an unknown type', `${HEADER}\n{"type":"footer"}\n`, 'tape-record-invalid'],
    ['an unknown phase', `${HEADER}\n${SLEEP.replace('user_script', 'dream')}\n`, 'tape-record-invalid'],
    [
      'a known kind without a field',
      `${HEADER}\n${SLEEP.replace('"duration_ms"', '"length_ms"')}\n`,
      'tape-record-invalid',
    ],
    [
      'a record without kind',
      `${HEADER}\n{"type":"record","seq":0,"virtual_time_ms":0,"monotonic_ms":0}\n`,
      'tape-record-invalid',
    ],
  ])('%s', async (_what, content, code) => {
    await expect(EventTape.load(fileWith(content))).rejects.toMatchObject({ name: 'RepriseError', code })
  })

  test('names both versions of a newer tape', async () => {
    const path = fileWith(`${HEADER.replace('"version":1', '"version":7')}\n`)
    await expect(EventTape.load(path)).rejects.toThrow(
      `tape ${path} declares version 7 but this runtime supports up to 1`,
    )
  })

  test('names the line of the damage', async () => {
    await expect(EventTape.load(fileWith(`${HEADER}\n${SLEEP}\nnope\n`))).rejects.toMatchObject({
      details: { line: 3 },
    })
  })

  test('bytes that are not UTF-8', async () => {
    const path = fileWith(Buffer.concat([Buffer.from(`${HEADER}\n`), Buffer.from([0x22, 0xff, 0x22, 0x0a])]))
    await expect(EventTape.load(path)).rejects.toMatchObject({ code: 'tape-not-utf8' })
  })

  test('a folder, a missing file and a pipe, without hanging', async () => {
    await expect(EventTape.load(tempFolder())).rejects.toMatchObject({ code: 'not-a-file' })
    await expect(EventTape.load('/no/such/tape')).rejects.toMatchObject({ code: 'not-found' })
    await expect(EventTape.load('/dev/zero')).rejects.toMatchObject({ code: 'not-a-file' })
  })
})

describe('load accepts', () => {
  test.each([
    ['version 0', `${HEADER.replace('"version":1', '"version":0')}\n${SLEEP}\n`],
    ['blank lines between records', `${HEADER}\n\n  \n${SLEEP}\n\n`],
    ['a record without phase', `${HEADER}\n${SLEEP.replace('"phase":"user_script",', '')}\n`],
    ['no line break at the very end', `${HEADER}\n${SLEEP}`],
    ['white space around a record', `${HEADER}\n  ${SLEEP} \n`],
    [
      'a header with only what is required',
      `{"type":"header","version":1,"harn_version":"0.8.5"}\n${SLEEP}\n`,
    ],
  ])('%s', async (_what, content) => {
    const tape = await EventTape.load(fileWith(content))
    expect(tape.records.map((record) => record.kind)).toEqual([{ kind: 'clock_sleep', durationMs: 5 }])
    expect(tape.torn).toBeNull()
  })

  test('a torn last line, dropped and reported', async () => {
    const tape = await EventTape.load(fileWith(`${HEADER}\n${SLEEP}\n${SLEEP.slice(0, 40)}`))
    expect(tape.records).toHaveLength(1)
    expect(tape.torn).toEqual({ line: 3, bytes: 40 })
  })
})

describe('payloads', () => {
  test.each([
    [4096, 'inline'],
    [4097, 'cas'],
  ] as const)('%i bytes of text are %s', (size, form) => {
    expect(createTapeRecorder().payloadFromBytes(bytes(Buffer.alloc(size, 'x'))).form).toBe(form)
  })

  test('bytes that are not UTF-8 go to the CAS however few they are', () => {
    expect(createTapeRecorder().payloadFromBytes(bytes(Buffer.from([0xff, 0xfe])))).toEqual({
      form: 'cas',
      contentHash: '1995adb70aa8869a4a723a430184258d483b4bf2f6a58da5c4ce11efe514990f',
      lenBytes: 2,
    })
  })

  test('round-trip through the CAS, private to their owner', async () => {
    const path = join(tempFolder(), 'deep', 'run.tape')
    const body = Buffer.alloc(5000, 'é')
    await tapeWith(body).persist(path)
    const loaded = await EventTape.load(path)
    expect(loaded.casSize).toBe(1)
    expect(Buffer.from(loaded.resolvePayload(responseOf(loaded)))).toEqual(body)
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(statSync(`${path}.cas`).mode & 0o777).toBe(0o700)
    expect(readdirSync(`${path}.cas`)).toHaveLength(1)
  })

  test('a missing entry is tolerated by load and named by resolve', async () => {
    const path = join(tempFolder(), 'run.tape')
    await tapeWith(Buffer.alloc(5000, 'x')).persist(path)
    const moved = tapeFile(...readFileSync(path, 'utf8').trimEnd().split('\n'))
    const tape = await EventTape.load(moved)
    expect(() => tape.resolvePayload(responseOf(tape))).toThrow(/^tape CAS missing entry for [0-9a-f]{64}$/)
  })

  test('bytes that were changed on disk are not given out', async () => {
    const path = join(tempFolder(), 'run.tape')
    await tapeWith(Buffer.alloc(5000, 'x')).persist(path)
    const [entry = ''] = readdirSync(`${path}.cas`)
    writeFileSync(join(`${path}.cas`, entry), Buffer.alloc(5000, 'y'))
    const tape = await EventTape.load(path)
    expect(() => tape.resolvePayload(responseOf(tape))).toThrow(
      expect.objectContaining({ code: 'cas-mismatch' }),
    )
  })

  test('a name that is no hash, or an entry that is a link, never leads out of the CAS folder', async () => {
    const folder = tempFolder()
    writeFileSync(join(folder, 'secret'), 'x'.repeat(5000))
    const line = (name: string): string =>
      `{"type":"record","seq":0,"phase":"user_script","virtual_time_ms":0,"monotonic_ms":0,"kind":{"kind":"llm_call","request_digest":"","response":{"content_hash":${JSON.stringify(name)},"len_bytes":5000}}}`
    const path = join(folder, 'run.tape')
    mkdirSync(`${path}.cas`)
    const linked = 'a'.repeat(64)
    symlinkSync('../secret', join(`${path}.cas`, linked))
    for (const name of ['../secret', linked, '../run.tape.cas/../secret']) {
      writeFileSync(path, `${HEADER}\n${line(name)}\n`)
      const tape = await EventTape.load(path)
      expect(() => tape.resolvePayload(responseOf(tape))).toThrow(
        expect.objectContaining({ code: 'cas-missing' }),
      )
    }
  })
})

function tapeWith(body: Buffer): EventTape {
  const recorder = createTapeRecorder()
  const response = recorder.payloadFromBytes(bytes(body))
  const kind: Scrubbed<RecordKind> = { kind: 'llm_call', requestDigest: response.contentHash, response }
  recorder.record(kind)
  return recorder.snapshot(fromDisk(createHeader()))
}

function responseOf(tape: EventTape): Kind<'llm_call'>['response'] {
  const kind = tape.records[0]?.kind
  if (kind?.kind !== 'llm_call') throw new Error('no llm_call')
  return kind.response
}

function bytes(content: Buffer): Scrubbed<Uint8Array> {
  return fromDisk<Uint8Array>(content)
}

function tapeFile(...lines: readonly string[]): string {
  return fileWith(`${lines.join('\n')}\n`)
}

function fileWith(content: string | Buffer): string {
  const path = join(tempFolder(), 'run.tape')
  writeFileSync(path, content)
  return path
}
