/** Harn's tape: header, records, kinds, payloads (A1 to A57). A24 and A29 are not done yet. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { canonicalJson, contentHash, utf8 } from '../../../src/base/index.ts'
import { compareTapes } from '../../../src/fidelity/index.ts'
import { requestDigest } from '../../../src/llm/digest.ts'
import { encodeHeader } from '../../../src/tape/header.ts'
import {
  casFolder,
  createHeader,
  EventTape,
  encodeRecord,
  type Kind,
  kindName,
  MAX_INLINE_BYTES,
  type Phase,
  payloadLength,
  type RecordKind,
  TAPE_FORMAT_VERSION,
  type TapeRecord,
  upstreamKinds,
} from '../../../src/tape/index.ts'
import { recordProgram } from '../../support/recorded-program.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { differs, same, superset } from '../../support/upstream.ts'
import {
  bytes,
  HEADER,
  header,
  line,
  load,
  SLEEP,
  sleep,
  steppedRecorder,
  tapeFile,
  words,
} from './made-tape.ts'

const fixtures = join(import.meta.dirname, '../../fixtures/tape')
const record = (kind: RecordKind, phase: Phase = 'user_script'): TapeRecord => ({
  seq: 0,
  phase,
  virtualTimeMs: 5,
  monotonicMs: 5,
  kind,
})
const written = (kind: RecordKind): string => encodeRecord(record(kind))
const kindOf = (text: string): RecordKind | undefined => load(line(text)).records[0]?.kind
const hash = contentHash(utf8('x'))
const inline = { form: 'inline', contentHash: hash, text: 'x' } as const
const WIRE_INLINE = `{"content_hash":"${hash}","text":"x"}`

describe('the header', () => {
  same('A1', 'the format version is 1', () => expect(TAPE_FORMAT_VERSION).toBe(1))
  same('A2', 'at most 4096 bytes are inline', () => expect(MAX_INLINE_BYTES).toBe(4096))
  same('A3', 'the first line is the header', () =>
    expect(encodeHeader(createHeader()).startsWith('{"type":"header",')).toBe(true),
  )
  same('A4', 'version is required, a u32', () => {
    expect(() => EventTape.loadSync(tapeFile('{"type":"header","harn_version":"x"}\n'))).toThrow('version')
    for (const version of ['1.0', '-1', '"1"']) {
      expect(() =>
        EventTape.loadSync(tapeFile(`{"type":"header","version":${version},"harn_version":"x"}\n`)),
      ).toThrow('version')
    }
  })
  same('A5', 'harn_version is required', () => {
    expect(() => EventTape.loadSync(tapeFile('{"type":"header","version":1}\n'))).toThrow('harn_version')
    expect(createHeader().harnVersion).toMatch(/^reprise\//)
  })
  same('A6', 'started_at_unix_ms is the start of the paused clock, or null', async () => {
    const { tape } = await recordProgram('console.log(Date.now())', {}, 'agent.mjs', [
      '--clock',
      'paused',
      '--start-at',
      '1767225600000',
    ])
    expect(EventTape.loadSync(tape).header.startedAtUnixMs).toBe(1_767_225_600_000)
    expect(createHeader().startedAtUnixMs).toBeNull()
    expect(() => EventTape.loadSync(tapeFile(`${HEADER.replace('null', '1.0')}\n`))).toThrow(
      'started_at_unix_ms',
    )
  })
  same('A7', 'script_path is a text or null', () => expect(load().header.scriptPath).toBeNull())
  same('A8', 'argv defaults to an empty list', () =>
    expect(
      EventTape.loadSync(tapeFile('{"type":"header","version":1,"harn_version":"x"}\n')).header.argv,
    ).toEqual([]),
  )
  same('A9', 'keys have an order, and nulls are written', () =>
    expect(
      encodeHeader({ version: 1, harnVersion: '0.8.26', startedAtUnixMs: null, scriptPath: null, argv: [] }),
    ).toBe(HEADER),
  )
  superset('A10', 'unknown keys are ignored', async () => {
    const path = tapeFile(`${HEADER.slice(0, -1)},"mood":{"x":1.50}}\n`)
    const out = join(tempFolder(), 'copy.tape')
    await EventTape.loadSync(path).persist(out)
    expect(readFileSync(out, 'utf8')).toBe(readFileSync(path, 'utf8'))
  })
  same('A11', 'current(started, script, argv) makes a header', () =>
    expect(createHeader({ startedAtUnixMs: 1, scriptPath: 's', argv: ['a'] })).toMatchObject({
      version: 1,
      startedAtUnixMs: 1,
      scriptPath: 's',
      argv: ['a'],
    }),
  )
  superset('A12', 'the header has no other keys', () =>
    expect(createHeader().producer).toMatchObject({ name: 'reprise' }),
  )
})

describe('a record', () => {
  same('A13', 'has type record', () =>
    expect(written({ kind: 'file_delete', path: 'a' }).startsWith('{"type":"record",')).toBe(true),
  )
  same('A14', 'has seq from 0, a u64', () => {
    const { recorder } = steppedRecorder()
    expect([recorder.record(sleep(1)).seq, recorder.record(sleep(1)).seq]).toEqual([0, 1])
    for (const seq of ['-1', '1.0', '1e3', '18446744073709551616000'])
      expect(() => load(SLEEP.replace('"seq":0', `"seq":${seq}`))).toThrow('seq')
  })
  same('A15', 'has a phase, user_script where it is missing', () =>
    expect(load(line('{"kind":"clock_sleep","duration_ms":5}', 0, '')).records[0]?.phase).toBe('user_script'),
  )
  same('A16', 'has virtual_time_ms, which may be negative', () =>
    expect(load(SLEEP.replace('"virtual_time_ms":5', '"virtual_time_ms":-5')).records[0]?.virtualTimeMs).toBe(
      -5,
    ),
  )
  same('A17', 'has monotonic_ms since the recorder was made, truncated', () => {
    const { recorder, time } = steppedRecorder()
    time.now = 5000.9
    time.monotonic = 62.9
    expect(recorder.record(sleep(1))).toMatchObject({ virtualTimeMs: 5000, monotonicMs: 12 })
  })
  same('A18', 'has no negative monotonic_ms', () => {
    const { recorder, time } = steppedRecorder()
    time.monotonic = 0
    expect(recorder.record(sleep(1)).monotonicMs).toBe(0)
  })
  same('A19', 'has a nested kind with a kind of its own', () =>
    expect(JSON.parse(written({ kind: 'clock_sleep', durationMs: 5 })).kind).toEqual({
      kind: 'clock_sleep',
      duration_ms: 5,
    }),
  )
  same('A20', 'has its keys in order', () =>
    expect(written({ kind: 'clock_sleep', durationMs: 5 })).toBe(SLEEP),
  )
  same('A21', 'is one line that ends in a line feed', async () => {
    const out = join(tempFolder(), 'run.tape')
    await load(SLEEP, SLEEP).persist(out)
    expect(readFileSync(out, 'utf8')).toBe(`${HEADER}\n${SLEEP}\n${SLEEP}\n`)
  })
  same('A22', 'has phase user_script or runtime_finalize', () => {
    for (const phase of ['user_script', 'runtime_finalize'] as const) {
      expect(encodeRecord(record({ kind: 'file_delete', path: 'a' }, phase))).toContain(`"phase":"${phase}"`)
    }
  })
  same('A23', 'with another phase is refused', () =>
    expect(() => load(SLEEP.replace('user_script', 'warm_up'))).toThrow('phase'),
  )
})

describe('kinds', () => {
  same('A25', 'clock_read has source and value_ms', () =>
    expect(kindOf('{"kind":"clock_read","source":"monotonic","value_ms":7}')).toEqual({
      kind: 'clock_read',
      source: 'monotonic',
      valueMs: 7,
    }),
  )
  same('A26', 'clock_read has the value that the program saw', async () => {
    const { tape, recorded } = await recordProgram('console.log(Date.now())')
    const reads = EventTape.loadSync(tape).records.flatMap(({ kind }) =>
      kind.kind === 'clock_read' ? [kind.valueMs] : [],
    )
    expect(reads).toContain(Number(recorded.stdout))
  })
  same('A27', 'clock_read with another source is refused', () =>
    expect(() => kindOf('{"kind":"clock_read","source":"lunar","value_ms":7}')).toThrow('source'),
  )
  same('A28', 'clock_sleep has duration_ms', () =>
    expect(kindOf('{"kind":"clock_sleep","duration_ms":5}')).toEqual({ kind: 'clock_sleep', durationMs: 5 }),
  )
  same('A30', 'llm_call has request_digest and response', () =>
    expect(written({ kind: 'llm_call', requestDigest: hash, response: inline })).toBe(
      line(`{"kind":"llm_call","request_digest":"${hash}","response":${WIRE_INLINE}}`),
    ),
  )
  same(
    'A31',
    'the digest of a request is that of its messages, system, tools, choice, thinking and model',
    () => {
      const messages = [{ role: 'user', content: 'replay test' }]
      const surface = {
        messages,
        system: null,
        tools: null,
        tool_choice: null,
        thinking: { mode: 'disabled' },
        more: {},
      }
      expect(requestDigest(surface, 'mock')).toBe(
        '1607d6150c963e65098bea59ce798c9636678073c0bdf512742e8223c11c07af',
      )
    },
  )
  same('A32', 'the response of llm_call is inline or in the CAS', () => {
    const cas = kindOf(
      `{"kind":"llm_call","request_digest":"d","response":{"content_hash":"${hash}","len_bytes":9000}}`,
    )
    expect(cas).toMatchObject({ response: { form: 'cas', lenBytes: 9000 } })
    expect(kindOf(`{"kind":"llm_call","request_digest":"d","response":${WIRE_INLINE}}`)).toMatchObject({
      response: { form: 'inline' },
    })
  })
  same('A33', 'file_read has path, content_hash, len_bytes', () =>
    expect(written({ kind: 'file_read', path: 'a', contentHash: hash, lenBytes: 1 })).toBe(
      line(`{"kind":"file_read","path":"a","content_hash":"${hash}","len_bytes":1}`),
    ),
  )
  same('A34', 'file_write has path, content_hash, len_bytes', () =>
    expect(written({ kind: 'file_write', path: 'a', contentHash: hash, lenBytes: 1 })).toBe(
      line(`{"kind":"file_write","path":"a","content_hash":"${hash}","len_bytes":1}`),
    ),
  )
  same('A35', 'file_delete has path', () =>
    expect(written({ kind: 'file_delete', path: 'a' })).toBe(line('{"kind":"file_delete","path":"a"}')),
  )
  differs('A36', 'file records do not hold the content', async () => {
    const { read } = await fileRecords()
    expect(read).toMatchObject({ lenBytes: 5, payload: { form: 'inline', text: 'hello' } })
  })
  differs('A37', 'paths are absolute', async () => {
    const { read, tape } = await fileRecords()
    expect(read?.path).toBe('in.txt')
    expect(tape.header.roots?.length).toBe(1)
  })
  same('A38', 'process_spawn has seven fields, cwd null is written', () =>
    expect(written({ ...SPAWN, args: ['status'] })).toBe(
      line(
        `{"kind":"process_spawn","program":"git","args":["status"],"cwd":null,"exit_code":0,"duration_ms":42,"stdout_payload":${WIRE_INLINE},"stderr_payload":${WIRE_INLINE}}`,
      ),
    ),
  )
  same('A39', 'outputs of a process are payloads', () =>
    expect(kindOf(JSON.stringify(JSON.parse(written(SPAWN)).kind))).toEqual(SPAWN),
  )
  same('A40', 'mcp_json_rpc has seven fields', () => {
    const call: RecordKind = {
      ...{
        kind: 'mcp_json_rpc',
        server: 'github',
        method: 'tools/list',
        requestDigest: hash,
        responseDigest: hash,
        latencyMs: 1,
      },
      ...{ requestPayload: inline, responsePayload: inline },
    }
    expect(written(call)).toBe(
      line(
        `{"kind":"mcp_json_rpc","server":"github","method":"tools/list","request_digest":"${hash}","response_digest":"${hash}","latency_ms":1,"request_payload":${WIRE_INLINE},"response_payload":${WIRE_INLINE}}`,
      ),
    )
    const request = { jsonrpc: '2.0', method: 'tools/list', params: {} }
    expect(contentHash(utf8(canonicalJson(request)))).toBe(
      'c52451307d61771cc57ef3382f00dccf9d0d08644787b36210dbead3d464906c',
    )
  })
  superset('A41', 'an unknown kind loads', async () => {
    const foreign = line('{"kind":"teleport","to":[1.0,-0.0,9007199254740993]}')
    const out = join(tempFolder(), 'copy.tape')
    await load(foreign).persist(out)
    expect(readFileSync(out, 'utf8')).toBe(`${HEADER}\n${foreign}\n`)
  })
  superset('A42', 'every kind has a label', () => {
    const names = EventTape.loadSync(join(fixtures, 'harn-every-kind.tape')).records.map(({ kind }) =>
      kindName(kind),
    )
    expect(names).toEqual(
      expect.arrayContaining(['clock_read', 'clock_sleep', 'llm_call', 'process_spawn', 'mcp_json_rpc']),
    )
    expect(kindOf('{"kind":"teleport"}')).toMatchObject({ kind: 'unknown', name: 'teleport' })
  })
  differs('A43', 'two unknown records at one place always diverge', async () => {
    const tape = (to: number): string => tapeFile(`${HEADER}\n${line(`{"kind":"teleport","to":${to}}`)}\n`)
    const divergences = async (a: string, b: string): Promise<number> =>
      (await compareTapes(a, b, 'byte_identical')).divergences.length
    expect([await divergences(tape(1), tape(1)), await divergences(tape(1), tape(2))]).toEqual([0, 1])
  })
  superset('A44', 'the kinds are the eight of the documents', () =>
    expect([...upstreamKinds].sort()).toEqual([
      ...[
        'clock_read',
        'clock_sleep',
        'decision_evaluation',
        'file_delete',
        'file_read',
        'file_write',
        'llm_call',
        'mcp_json_rpc',
      ],
      ...['model_job', 'process_spawn'],
    ]),
  )
  same('A45', 'clock sources are wall and monotonic', () => {
    for (const source of ['wall', 'monotonic'])
      expect(kindOf(`{"kind":"clock_read","source":"${source}","value_ms":1}`)).toMatchObject({ source })
  })
})

const SPAWN: Kind<'process_spawn'> = {
  ...{ kind: 'process_spawn', program: 'git', args: [], cwd: null, exitCode: 0, durationMs: 42 },
  ...{ stdoutPayload: inline, stderrPayload: inline },
}

async function fileRecords() {
  const source = "import { readFileSync } from 'node:fs'\nreadFileSync('in.txt')"
  const { tape: path } = await recordProgram(source, {}, 'agent.mjs', [], { 'in.txt': 'hello' })
  const tape = EventTape.loadSync(path)
  const read = tape.records.flatMap(({ kind }) =>
    kind.kind === 'file_read' && kind.path.endsWith('in.txt') ? [kind] : [],
  )[0]
  return { tape, read }
}

describe('payloads', () => {
  const payload = (text: string) => {
    const kind = kindOf(`{"kind":"llm_call","request_digest":"d","response":${text}}`)
    return kind?.kind === 'llm_call' ? kind.response : null
  }
  same('A46', 'inline is content_hash and text', () => expect(payload(WIRE_INLINE)).toEqual(inline))
  same('A47', 'in the CAS is content_hash and len_bytes', () =>
    expect(payload(`{"content_hash":"${hash}","len_bytes":9}`)).toEqual({
      form: 'cas',
      contentHash: hash,
      lenBytes: 9,
    }),
  )
  same('A48', 'with both it is inline', () =>
    expect(payload(`{"content_hash":"${hash}","text":"x","len_bytes":9}`)).toEqual(inline),
  )
  same('A49', 'with neither it is refused', () => {
    expect(() => payload(`{"content_hash":"${hash}"}`)).toThrow('response')
    expect(() => payload(`{"content_hash":"${hash}","len_bytes":-1}`)).toThrow('response')
  })
  same('A50', 'a payload has its content_hash', () => expect(payload(WIRE_INLINE)?.contentHash).toBe(hash))
  same('A51', 'a payload has its length in bytes', () =>
    expect([
      payloadLength({ ...inline, text: 'grün 😀' }),
      payloadLength({ form: 'cas', contentHash: hash, lenBytes: 9 }),
      payloadLength({ form: 'text', text: 'ü' }),
      payloadLength({ form: 'base64', bytes: new Uint8Array(3) }),
    ]).toEqual([10, 9, 2, 3]),
  )
  same('A52', 'a content_hash is BLAKE3 in lower-case hex', () => {
    expect(contentHash(utf8(''))).toBe('af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262')
    expect(contentHash(utf8('hi\n'))).toBe('0b8b60248fad7ac6dfac221b7e01a8b91c772421a15b387dd1fb2d6a94aee438')
    expect(contentHash(utf8('x'.repeat(4097)))).toBe(
      '811a03c56e5d606a19bde01be5d76cd59cb5a97dc077aef8ab76e259ef2e2fd0',
    )
    expect(contentHash(new Uint8Array([0xff, 0xfe]))).toBe(
      '1995adb70aa8869a4a723a430184258d483b4bf2f6a58da5c4ce11efe514990f',
    )
  })
  same('A53', 'over 4096 bytes and what is not UTF-8 go to the CAS', () => {
    const { recorder } = steppedRecorder()
    const form = (content: string | Uint8Array): string => recorder.payloadFromBytes(bytes(content)).form
    expect([form('x'.repeat(4096)), form('x'.repeat(4097)), form(new Uint8Array([0xff, 0xfe]))]).toEqual([
      'inline',
      'cas',
      'cas',
    ])
  })
  same('A54', 'equal bytes are stored once', () => {
    const { recorder } = steppedRecorder()
    recorder.payloadFromBytes(bytes('x'.repeat(5000)))
    recorder.payloadFromBytes(bytes('x'.repeat(5000)))
    expect(recorder.snapshot(header()).casSize).toBe(1)
  })
  same('A55', 'the CAS is <path>.cas/<blake3>, flat, raw bytes', async () => {
    const path = await spilled()
    const name = contentHash(utf8('x'.repeat(5000)))
    expect(readdirSync(`${path}.cas`)).toEqual([name])
    expect(readFileSync(join(casFolder(path), name), 'utf8')).toBe('x'.repeat(5000))
  })
  same('A56', 'there is a CAS only if something spilled', async () => {
    const out = join(tempFolder(), 'run.tape')
    await load(SLEEP).persist(out)
    expect(existsSync(`${out}.cas`)).toBe(false)
  })
  differs('A57', 'the module comment names tape.cas/ and {"cas":"…"}', async () => {
    const path = await spilled()
    expect(existsSync(join(path, '..', 'tape.cas'))).toBe(false)
    expect(readFileSync(path, 'utf8')).not.toContain('"cas":')
  })
})

async function spilled(): Promise<string> {
  const { recorder } = steppedRecorder()
  const response = recorder.payloadFromBytes(bytes('x'.repeat(5000)))
  recorder.record(words<RecordKind>({ kind: 'llm_call', requestDigest: hash, response }))
  const path = join(tempFolder(), 'run.tape')
  await recorder.snapshot(header()).persist(path)
  return path
}
