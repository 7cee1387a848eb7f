/** Harn's tape: the tape in memory, and loading it (A58 to A85). */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { casFolder, EventTape, payloadsOf } from '../../../src/tape/index.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { differs, same, superset } from '../../support/upstream.ts'
import {
  bytes,
  fails,
  HEADER,
  header,
  line,
  load,
  SLEEP,
  spilled,
  steppedRecorder,
  tapeFile,
} from './made-tape.ts'

const fixtures = join(import.meta.dirname, '../../fixtures/tape')
describe('EventTape', () => {
  same('A58', 'is a header, records and a CAS', () =>
    expect(load(SLEEP)).toMatchObject({ records: [{ seq: 0 }], casSize: 0 }),
  )
  same('A59', 'is made from a header', () => expect(EventTape.create(header()).records).toEqual([]))
  same('A60', 'has a list of records to push to', () => {
    const tape = load(SLEEP)
    tape.records.push(...load(SLEEP).records)
    expect(tape.records).toHaveLength(2)
  })
  same('A61', 'resolves an inline payload to the bytes of its text', () => {
    const payload = steppedRecorder().recorder.payloadFromBytes(bytes('grün'))
    expect(Buffer.from(load().resolvePayload(payload)).toString()).toBe('grün')
  })
  superset('A62', 'resolves a payload of the CAS to its bytes', async () => {
    const { path, payload } = await spilled()
    expect(EventTape.loadSync(path).resolvePayload(payload).byteLength).toBe(5000)
    writeFileSync(join(casFolder(path), payload.contentHash), 'other')
    expect(() => EventTape.loadSync(path).resolvePayload(payload)).toThrow()
  })
  same('A63', 'names a CAS entry that is missing', async () => {
    const { path, payload } = await spilled()
    rmSync(casFolder(path), { recursive: true })
    expect(() => EventTape.loadSync(path).resolvePayload(payload)).toThrow(
      `tape CAS missing entry for ${payload.contentHash}`,
    )
  })
  same('A64', 'counts its CAS', async () =>
    expect(EventTape.loadSync((await spilled()).path).casSize).toBe(1),
  )
  same('A65', 'makes the folders above it', async () => {
    const out = join(tempFolder(), 'a/b/run.tape')
    await load(SLEEP).persist(out)
    expect(existsSync(out)).toBe(true)
  })
  superset('A66', 'overwrites what is there; persistNew refuses it', async () => {
    const out = join(tempFolder(), 'run.tape')
    await load(SLEEP).persist(out)
    await load().persist(out)
    expect(readFileSync(out, 'utf8')).toBe(`${HEADER}\n`)
    await expect(load(SLEEP).persistNew(out)).rejects.toMatchObject({ code: 'out-exists' })
    expect(readFileSync(out, 'utf8')).toBe(`${HEADER}\n`)
    const fresh = join(tempFolder(), 'fresh.tape')
    await load(SLEEP).persistNew(fresh)
    expect([readFileSync(fresh, 'utf8'), readdirSync(join(fresh, '..'))]).toEqual([
      `${HEADER}\n${SLEEP}\n`,
      ['fresh.tape'],
    ])
  })
  differs('A67', 'the lines are written before the CAS', async () => {
    const { path } = await spilled()
    const out = join(tempFolder(), 'run.tape')
    mkdirSync(out)
    await expect(EventTape.loadSync(path).persist(out)).rejects.toThrow()
    expect(readdirSync(`${out}.cas`)).toHaveLength(1)
  })
  differs('A68', 'errors of persist begin with mkdir, serialize, write', async () => {
    const file = tapeFile('x')
    await expect(load().persist(join(file, 'run.tape'))).rejects.toMatchObject({ code: 'out-exists' })
  })
  same('A69', 'load reads header and records, and the CAS lazily', async () => {
    const { path, payload } = await spilled()
    const tape = EventTape.loadSync(path)
    rmSync(join(casFolder(path), payload.contentHash))
    expect(tape.records).toHaveLength(1)
    expect(() => tape.resolvePayload(payload)).toThrow()
  })
})

describe('loading', () => {
  differs('A70', 'a missing file is `read <path>: …`', () =>
    expect(() => EventTape.loadSync(join(tempFolder(), 'none.tape'))).toThrow(
      expect.objectContaining({ code: 'not-found' }),
    ),
  )
  same('A71', 'an empty file', () => expect(fails('')).toBe('empty tape file: X'))
  differs('A72', 'no header is `parse tape header in <path>: …`', () =>
    expect(fails('{"a"\n')).toContain('the first line of X is no tape header'),
  )
  same('A73', 'a record first', () =>
    expect(fails(`${SLEEP}\n`)).toBe('tape X is missing its header (first line is a record)'),
  )
  same('A74', 'a newer version', () =>
    expect(fails('{"type":"header","version":99,"harn_version":"x"}\n')).toBe(
      'tape X declares version 99 but this runtime supports up to 1',
    ),
  )
  same('A75', 'versions 0 and 1', () => {
    for (const version of [0, 1])
      expect(fails(`{"type":"header","version":${version},"harn_version":"x"}\n`)).toBe('it loads')
  })
  same('A76', 'blank lines are skipped, lines trimmed', () =>
    expect(fails(`${HEADER}\n\n \t\n  ${SLEEP}  \n`)).toBe('it loads'),
  )
  differs('A77', 'a bad record is `parse tape record at line <n> in <path>: …`', () =>
    expect(fails(`${HEADER}\n${SLEEP}\n{"type":"record"}\n`)).toContain('tape X is damaged at line 3'),
  )
  differs('A78', 'a second header is `tape <path> contains a second header at line <n>`', () =>
    expect(fails(`${HEADER}\n${HEADER}\n`)).toBe('tape X is damaged at line 2: a second header'),
  )
  differs('A79', 'a tape with CRLF loads', () => expect(fails(`${HEADER}\r\n${SLEEP}\r\n`)).toContain('CRLF'))
  superset('A80', 'a torn last line fails the load', () => {
    const tape = EventTape.loadSync(tapeFile(`${HEADER}\n${SLEEP}\n${SLEEP.slice(0, 30)}`))
    expect([tape.records.length, tape.torn?.line]).toEqual([1, 3])
  })
  same('A81', 'integers have a range, and 1.0 is none; payload JSON is untouched', () => {
    const bad = [
      line('{"kind":"clock_sleep","duration_ms":-1}'),
      line('{"kind":"clock_sleep","duration_ms":1.0}'),
      line('{"kind":"clock_sleep","duration_ms":1e3}'),
      line('{"kind":"clock_read","source":"wall","value_ms":-0}'),
      line(spawn.replace('"exit_code":0', '"exit_code":99999999999')),
      line('{"kind":"file_read","path":"a","content_hash":"h","len_bytes":-1}'),
      SLEEP.replace('"seq":0', '"seq":-1'),
      SLEEP.replace('"monotonic_ms":5', '"monotonic_ms":5.0'),
    ]
    for (const text of bad)
      expect([text, fails(`${HEADER}\n${text}\n`)]).toEqual([
        text,
        expect.stringContaining('damaged at line 2'),
      ])
    const free = line(
      '{"kind":"llm_call","request_digest":"d","response":{"content_hash":"h","text":"{\\"seq\\":1.0}"},"request":{"seq":1.0,"len_bytes":-1}}',
    )
    expect(fails(`${HEADER}\n${free}\n${line(spawn.replace('"exit_code":0', '"exit_code":-1'))}\n`)).toBe(
      'it loads',
    )
  })
  same('A82', 'without a CAS folder nothing is loaded, and that is no error', async () => {
    const { path } = await spilled()
    rmSync(casFolder(path), { recursive: true })
    expect(EventTape.loadSync(path).casSize).toBe(0)
  })
  same('A83', 'a missing CAS entry is no error of the load', async () => {
    const { path, payload } = await spilled()
    rmSync(join(casFolder(path), payload.contentHash))
    expect(EventTape.loadSync(path).records).toHaveLength(1)
  })
  same('A84', 'the CAS of a tape is its path and .cas', () =>
    expect(casFolder('/x/run.tape')).toBe('/x/run.tape.cas'),
  )
  same('A85', 'the payloads of llm_call, process_spawn and mcp_json_rpc are visited', () => {
    const tape = EventTape.loadSync(join(fixtures, 'harn-every-kind.tape'))
    const counts = new Map(tape.records.map(({ kind }) => [kind.kind, payloadsOf(kind).length]))
    expect([counts.get('llm_call'), counts.get('process_spawn'), counts.get('mcp_json_rpc')]).toEqual([
      1, 2, 2,
    ])
  })
})

const spawn =
  '{"kind":"process_spawn","program":"a","args":[],"cwd":null,"exit_code":0,"duration_ms":1,"stdout_payload":{"content_hash":"h","text":""},"stderr_payload":{"content_hash":"h","text":""}}'
