/**
 * Harn's tape: whole runs (A105 to A114), and upstream's files and newer records. A110 is in
 * foreign-replay.test.ts.
 */
import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testbench } from '../../../src/entry/index.ts'
import { createScrubber } from '../../../src/scrub/index.ts'
import {
  createTapeRecorder,
  EventTape,
  encodeRecord,
  recordDecisionEvaluation,
  recordModelJob,
  replayEvaluations,
  runWithRecorder,
  verifyTape,
} from '../../../src/tape/index.ts'
import { listening } from '../../support/listening.ts'
import { recordProgram } from '../../support/recorded-program.ts'
import { serdeProblem } from '../../support/serde-rules.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { same, superset } from '../../support/upstream.ts'
import { header, line, load, recordsOf, SLEEP } from './made-tape.ts'

const fixtures = join(import.meta.dirname, '../../fixtures/tape')
const scrubber = createScrubber()

/** One program with inputs of every sort, recorded once for the tests below. */
const SOURCE = `
import { readFileSync, writeFileSync, rmSync } from 'node:fs'
import { execFileSync } from 'node:child_process'
const seed = readFileSync('seed.txt', 'utf8')
writeFileSync('out.txt', seed + Date.now())
rmSync('out.txt')
const child = execFileSync('echo', ['hi'], { encoding: 'utf8' })
const half = '\\u{1f600}'.slice(0, 1)
let deep = 1
for (let level = 0; level < 200; level += 1) deep = [deep]
const body = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: half }], metadata: { deep } })
const answer = await fetch(process.env.SERVER_URL + '/v1/chat/completions', { method: 'POST', headers: { 'content-type': 'application/json' }, body })
console.log(seed.trim(), child.trim(), (await answer.json()).choices[0].message.content)
`

describe('a run', () => {
  let run: Awaited<ReturnType<typeof recordProgram>>
  let tape: EventTape
  let stop: () => Promise<void>
  const kinds = (): string[] => tape.records.map(({ kind }) => kind.kind)

  beforeAll(async () => {
    const choices = [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'fine' } }]
    const answer = {
      id: 'c',
      object: 'chat.completion',
      model: 'm',
      choices,
      usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
    }
    const server = await listening(
      createServer((request, response) => {
        request.resume()
        request.on('end', () =>
          response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer)),
        )
      }),
    )
    stop = server.stop
    run = await recordProgram(SOURCE, { SERVER_URL: server.url }, 'agent.mjs', [], { 'seed.txt': 'seed\n' })
    tape = EventTape.loadSync(run.tape)
  })
  afterAll(() => stop())

  same('A105', 'every call of a model is a record', () => {
    expect(run.recorded).toMatchObject({ code: 0, stdout: 'seed hi fine\n' })
    expect(kinds()).toContain('llm_call')
  })
  same('A106', 'every read and write of a file is a record', () =>
    expect(kinds()).toEqual(expect.arrayContaining(['file_read', 'file_write', 'file_delete'])),
  )
  same('A107', 'every subprocess is a record', () => expect(kinds()).toContain('process_spawn'))
  same('A108', 'every read of a clock is a record', () => expect(kinds()).toContain('clock_read'))
  superset('A109', 'the tape drives a run', async () => {
    const { code, report } = await run.replay()
    expect([code, report.verdict]).toEqual([0, 'faithful'])
  })
  same('A111', 'recording is asked for', async () => {
    const out = join(tempFolder(), 'run.tape')
    const session = await testbench({}).activate()
    Date.now()
    await session.close()
    expect(existsSync(out)).toBe(false)
  })
  same('A112', 'a testbench emits its tape to a path', async () => {
    const out = join(tempFolder(), 'run.tape')
    const session = await testbench({ tape: out, clock: 'record' }).activate()
    session.run(() => Date.now())
    await session.close()
    expect(EventTape.loadSync(out).records.some(({ kind }) => kind.kind === 'clock_read')).toBe(true)
  })
  same('A113', 'nested sessions stay apart', async () => {
    const [outer, inner] = [join(tempFolder(), 'outer.tape'), join(tempFolder(), 'inner.tape')]
    const first = await testbench({ tape: outer, clock: 'record' }).activate()
    const second = await testbench({ tape: inner, clock: 'record' }).activate()
    second.run(() => Date.now())
    await second.close()
    first.run(() => Date.now())
    await first.close()
    const reads = (path: string): number =>
      EventTape.loadSync(path).records.filter(({ kind }) => kind.kind === 'clock_read').length
    expect([reads(outer) > 0, reads(inner) > 0]).toEqual([true, true])
  })
  same('A114', 'what is written loads in Harn, also half of a pair and deep JSON', () => {
    const lines = readFileSync(run.tape, 'utf8').trimEnd().split('\n')
    expect(lines.map(serdeProblem).filter((problem) => problem !== null)).toEqual([])
    expect(lines.some((text) => text.endsWith(',"escapes":1}'))).toBe(true)
    expect(JSON.stringify(tape.records.map(({ kind }) => kind))).toContain('\\ud83d')
  })
})

describe("upstream's files and newer records", () => {
  test('the tape of Harn 0.8.4 loads, verifies and rewrites to the same bytes', async () => {
    const path = join(fixtures, 'harn-0.8.4.tape')
    const out = join(tempFolder(), 'copy.tape')
    await EventTape.loadSync(path).persist(out)
    expect(readFileSync(out)).toEqual(readFileSync(path))
    expect(await verifyTape(path)).toMatchObject({
      ok: true,
      findings: [{ code: 'unsealed-foreign', severity: 'note' }],
    })
  })

  test('the evaluation tape loads; the payload that is here verifies, the others are reported missing', async () => {
    const path = join(fixtures, 'probe.tape')
    const findings = (await verifyTape(path)).findings.filter(({ severity }) => severity !== 'note')
    expect(findings.every(({ code }) => code === 'cas-missing')).toBe(true)
    expect(findings.length).toBe(EventTape.loadSync(path).records.length - 1)
  })

  const receipt = { evaluation_id: `blake3:${'a'.repeat(64)}`, source: 'live', reused_from: null }
  const evaluation = (site: string, change: object = {}) => ({
    request: { site_id: site, state: { n: 1 }, questions: {}, policy: {} },
    outcome: { kind: 'answered' },
    answers: [],
    receipt: { ...receipt, ...change },
  })
  const recorded = (...evaluations: readonly ReturnType<typeof evaluation>[]): EventTape => {
    const recorder = createTapeRecorder()
    runWithRecorder(recorder, () => {
      for (const one of evaluations) recordDecisionEvaluation(one, scrubber)
    })
    return recorder.snapshot(header())
  }

  test('evaluations are answered once each, in order', () => {
    const replay = replayEvaluations(recorded(evaluation('one'), evaluation('two')), scrubber)
    expect(replay.next(evaluation('one').request)).toEqual(evaluation('one'))
    expect(() => replay.finish()).toThrow('evaluation replay mismatch: 1 unconsumed record(s); next site two')
    const whole = replayEvaluations(recorded(evaluation('one')), scrubber)
    whole.next(evaluation('one').request)
    whole.finish()
    expect(() => whole.next(evaluation('two').request)).toThrow(
      'evaluation replay mismatch: missing record for site two',
    )
    expect(() => whole.finish()).toThrow('missing record')
  })

  test('another request, another record, a reused receipt and a changed payload are mismatches', () => {
    const replay = replayEvaluations(recorded(evaluation('one')), scrubber)
    expect(() => replay.next({ ...evaluation('one').request, state: { n: 2 } })).toThrow(
      'evaluation replay mismatch: record 0',
    )
    expect(() => replayEvaluations(load(SLEEP), scrubber)).toThrow('unexpected non-evaluation record')
    expect(() => replayEvaluations(recorded(evaluation('one', { source: 'cache' })), scrubber)).toThrow(
      'live evaluation',
    )
    expect(() => recorded(evaluation('one', { evaluation_id: 'x' }))).toThrow('evaluation id')
    const tape = recorded(evaluation('one'))
    const kind = tape.records[0]?.kind
    if (kind?.kind !== 'decision_evaluation' || kind.response.form !== 'inline')
      throw new Error('no evaluation')
    const changed = line(
      `{"kind":"decision_evaluation","request_digest":"${kind.requestDigest}","response":{"content_hash":"${kind.response.contentHash}","text":"{}"}}`,
    )
    expect(() => replayEvaluations(load(changed), scrubber)).toThrow('record payload hash mismatch')
  })

  test('a model job is recorded with its names and the digests of its assets', () => {
    const recorder = createTapeRecorder()
    const [a, b] = ['a'.repeat(64), 'b'.repeat(64)]
    const event = {
      backend: 'fixture',
      job_id: 'job-1',
      kind: 'output',
      request_id: 'req-1',
      schema: 'harn.model_job_event.v1',
      state: 'succeeded',
    }
    recordModelJob(event, scrubber)
    runWithRecorder(recorder, () => {
      recordModelJob(event, scrubber)
      recordModelJob(
        { assets: [{ sha256: b }, { uri: `asset://sha256/${a}` }, { sha256: b }], asset_digest: a },
        scrubber,
      )
    })
    const [first, second] = recordsOf(recorder)
    if (first === undefined) throw new Error('no record')
    expect(encodeRecord(first)).toContain(
      '"kind":{"kind":"model_job","job_id":"job-1","request_id":"req-1","backend":"fixture","state":"succeeded","event_kind":"output","event":{"content_hash":"089033c595978ef549837adc4057f332183b41713530ad47ff892a52a48856c9"',
    )
    expect(second?.kind).toMatchObject({ jobId: '', state: '', assetDigests: [a, b] })
  })
})
