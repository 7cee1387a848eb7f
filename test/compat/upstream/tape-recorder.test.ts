import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { contentHash, utf8 } from '../../../src/base/index.ts'
import { createScrubber } from '../../../src/scrub/index.ts'
import {
  activeRecorder,
  createTapeRecorder,
  EventTape,
  encodeRecord,
  enterPhase,
  installRecorder,
  type RecordKind,
  recordMcpJsonRpc,
  runWithRecorder,
  withActiveRecorder,
} from '../../../src/tape/index.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { differs, same } from '../../support/upstream.ts'
import {
  bytes,
  fails,
  HEADER,
  header,
  line,
  recordsOf,
  sleep,
  spilled,
  steppedRecorder,
  words,
} from './made-tape.ts'

const scrubber = createScrubber()
const CALL = {
  server: 'github',
  method: 'tools/list',
  request: { b: 1, a: 2 },
  response: { id: 1 },
  latencyMs: 3,
}

describe('the recorder', () => {
  same('A86', 'is made without arguments', () => expect(recordsOf(createTapeRecorder())).toEqual([]))
  same('A87', 'numbers records without gaps', () => {
    const recorder = createTapeRecorder()
    for (let at = 0; at < 50; at += 1) recorder.record(sleep(at))
    expect(recordsOf(recorder).map(({ seq }) => seq)).toEqual(Array.from({ length: 50 }, (_, at) => at))
  })
  same('A88', 'stamps seq, phase, virtual and monotonic time', () => {
    const { recorder, time } = steppedRecorder()
    time.monotonic = 60
    expect(recorder.record(sleep(1))).toMatchObject({
      seq: 0,
      phase: 'user_script',
      virtualTimeMs: 1000,
      monotonicMs: 10,
    })
  })
  same('A89', 'registers the bytes of a payload', () => {
    const { recorder } = steppedRecorder()
    const payload = recorder.payloadFromBytes(bytes('x'.repeat(5000)))
    expect(recorder.snapshot(header()).resolvePayload(payload).byteLength).toBe(5000)
  })
  same('A90', 'gives a copy in the middle of a run', () => {
    const recorder = createTapeRecorder()
    recorder.record(sleep(1))
    const tape = recorder.snapshot(header())
    recorder.record(sleep(2))
    expect([tape.records.length, recordsOf(recorder).length]).toEqual([1, 2])
  })
  same('A91', 'stays usable after a failure of its user (upstream: a poisoned mutex panics)', () => {
    const recorder = createTapeRecorder()
    using _ = installRecorder(recorder)
    expect(() =>
      withActiveRecorder(() => {
        throw new Error('mine')
      }),
    ).toThrow('mine')
    withActiveRecorder(() => sleep(1))
    expect(recordsOf(recorder)).toHaveLength(1)
  })
  same('A92', 'is one per context', async () => {
    const [a, b] = [createTapeRecorder(), createTapeRecorder()]
    const seen = await Promise.all(
      [a, b].map((recorder) => runWithRecorder(recorder, async () => activeRecorder())),
    )
    expect([seen[0] === a, seen[1] === b, activeRecorder()]).toEqual([true, true, null])
  })
  same('A93', 'is restored by its guard', () => {
    const [outer, inner] = [createTapeRecorder(), createTapeRecorder()]
    using _outer = installRecorder(outer)
    {
      using _inner = installRecorder(inner)
      expect(activeRecorder()).toBe(inner)
    }
    expect(activeRecorder()).toBe(outer)
  })
  same('A94', 'is none outside of a guard', () => expect(activeRecorder()).toBeNull())
  same('A95', 'record_mcp_json_rpc does nothing without one', () => {
    const recorder = createTapeRecorder()
    recordMcpJsonRpc(CALL, scrubber)
    runWithRecorder(recorder, () => recordMcpJsonRpc(CALL, scrubber))
    expect(recordsOf(recorder)).toMatchObject([
      { kind: { kind: 'mcp_json_rpc', server: 'github', method: 'tools/list', latencyMs: 3 } },
    ])
  })
  same('A96', 'record_mcp_json_rpc redacts before it digests', () => {
    const secret = 'sk-ant-api03-AbCdEfGhIjKlMnOpQrStUvWxYz0123456789AAAA'
    const recorder = createTapeRecorder()
    runWithRecorder(recorder, () =>
      recordMcpJsonRpc({ ...CALL, request: { token: secret }, response: { said: secret } }, scrubber),
    )
    const [record] = recordsOf(recorder)
    if (record === undefined) throw new Error('no record')
    expect(encodeRecord(record)).not.toContain(secret)
  })
  same('A97', 'its digests are those of the stored bytes', () => {
    const kind = mcpRecord()
    expect([kind?.requestDigest, kind?.responseDigest]).toEqual([
      kind?.requestPayload.contentHash,
      kind?.responsePayload.contentHash,
    ])
  })
  same('A98', 'its payloads have sorted keys', () => {
    const payload = mcpRecord()?.requestPayload
    expect(payload?.form === 'inline' && payload.text).toBe('{"a":2,"b":1}')
  })
  same('A99', 'a phase guard restores the phase before', () => {
    const recorder = createTapeRecorder()
    using _ = installRecorder(recorder)
    const outer = enterPhase('runtime_finalize')
    const inner = enterPhase('user_script')
    withActiveRecorder(() => sleep(1))
    inner?.[Symbol.dispose]()
    withActiveRecorder(() => sleep(2))
    outer?.[Symbol.dispose]()
    withActiveRecorder(() => sleep(3))
    expect(recordsOf(recorder).map(({ phase }) => phase)).toEqual([
      'user_script',
      'runtime_finalize',
      'user_script',
    ])
  })
  same('A100', 'enter_phase gives nothing when nothing records', () =>
    expect(enterPhase('runtime_finalize')).toBeNull(),
  )
  differs('A101', 'the phase is that of the recorder, for all its threads', async () => {
    const recorder = createTapeRecorder()
    await runWithRecorder(recorder, async () => {
      const inPhase = async (): Promise<void> => {
        await null
        using _ = enterPhase('runtime_finalize')
        await null
        withActiveRecorder(() => sleep(1))
        await null
      }
      const beside = async (): Promise<void> => {
        await null
        await null
        withActiveRecorder(() => sleep(2))
      }
      await Promise.all([inPhase(), beside()])
    })
    const phases = new Map(
      recordsOf(recorder).map(({ kind, phase }) => [
        kind.kind === 'clock_sleep' ? kind.durationMs : 0,
        phase,
      ]),
    )
    expect([phases.get(1), phases.get(2)]).toEqual(['runtime_finalize', 'user_script'])
  })
  same('A102', 'with_active_recorder calls its closure only when on, and nothing records nothing', () => {
    let calls = 0
    const build = (): null => {
      calls += 1
      return null
    }
    withActiveRecorder(build)
    const recorder = createTapeRecorder()
    runWithRecorder(recorder, () => withActiveRecorder(build))
    expect([calls, recordsOf(recorder)]).toEqual([1, []])
  })
  same('A103', 'costs nothing when nothing records', () => {
    const { now } = Date
    expect(now).toBe(Date.now)
    expect(String(Date.now)).toContain('[native code]')
  })
  same('A104', 'a new kind is no new version', () =>
    expect(fails(`${HEADER}\n${line('{"kind":"next_year"}')}\n`)).toBe('it loads'),
  )
})

function mcpRecord() {
  const recorder = createTapeRecorder()
  runWithRecorder(recorder, () => recordMcpJsonRpc(CALL, scrubber))
  const kind = recordsOf(recorder)[0]?.kind
  return kind?.kind === 'mcp_json_rpc' ? kind : null
}

describe("upstream's own tests", () => {
  same('A115', 'records with inline payloads come back', async () => {
    const { recorder } = steppedRecorder()
    recorder.record(sleep(250))
    const response = recorder.payloadFromBytes(bytes('{"text":"hi"}'))
    recorder.record(words<RecordKind>({ kind: 'llm_call', requestDigest: contentHash(utf8('r')), response }))
    const path = join(tempFolder(), 'run.tape')
    const tape = recorder.snapshot(header())
    await tape.persist(path)
    expect(EventTape.loadSync(path).records).toEqual(tape.records)
  })
  same('A116', 'a phase guard stamps and restores', () => {
    const recorder = createTapeRecorder()
    using _ = installRecorder(recorder)
    {
      using _phase = enterPhase('runtime_finalize')
      withActiveRecorder(() => sleep(1))
    }
    withActiveRecorder(() => sleep(2))
    expect(recordsOf(recorder).map(({ phase }) => phase)).toEqual(['runtime_finalize', 'user_script'])
  })
  same('A117', 'large payloads spill to the CAS and come back', async () => {
    const { path, payload } = await spilled()
    const tape = EventTape.loadSync(path)
    expect([payload.form, tape.casSize, tape.resolvePayload(payload).byteLength]).toEqual(['cas', 1, 5000])
  })
  same('A118', 'a newer version is refused', () =>
    expect(fails('{"type":"header","version":2,"harn_version":"x"}\n')).toContain('declares version 2'),
  )
  same('A119', 'seq grows', () => {
    const recorder = createTapeRecorder()
    for (const duration of [1, 2, 3]) recorder.record(sleep(duration))
    expect(recordsOf(recorder).map(({ seq }) => seq)).toEqual([0, 1, 2])
  })
})
