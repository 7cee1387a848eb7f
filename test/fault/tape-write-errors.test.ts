import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { armFaults } from '../../src/base/index.ts'
import { fromDisk, fromReprise } from '../../src/scrub/scrubbed.ts'
import { casFaultPoints } from '../../src/tape/cas.ts'
import {
  createHeader,
  createStreamingRecorder,
  EventTape,
  type TapeRecorder,
  TapeWriter,
  verifyTape,
} from '../../src/tape/index.ts'
import { writerFaultPoints } from '../../src/tape/writer.ts'
import { hasProgram, needs } from '../support/outside.ts'
import { runChild } from '../support/run-child.ts'
import { tempFolder } from '../support/temp-folder.ts'

const points = [...writerFaultPoints, ...casFaultPoints].filter((point) => point !== 'tape.open')
const errors = ['ENOSPC', 'EIO'] as const

describe.each(errors)('%s', (code) => {
  describe.each(points)('at %s', (point) => {
    // The first time, and in the middle of the run.
    test.each([1, 3])(
      'the writer reports it, the program goes on, the tape opens (time %i)',
      async (time) => {
        const path = join(tempFolder(), 'run.tape')
        let reached = 0
        const armed = armFaults((name) => {
          if (name !== point) return
          reached += 1
          if (reached === time) throw Object.assign(new Error(code), { code })
        })
        const outcome = await program(path)
        armed[Symbol.dispose]()
        expect(outcome.steps).toBe(10)
        const tape = existsSync(path) && readFileSync(path).length > 0 ? EventTape.loadSync(path) : null
        if (reached < time) {
          expect(outcome.closed).toBe('whole')
          expect((await verifyTape(path)).ok).toBe(true)
          return
        }
        expect(outcome.closed).toBe('tape-write-failed')
        if (tape === null) return expect(['tape.header', 'tape.append', 'tape.sync']).toContain(point)
        const verdict = await verifyTape(path)
        expect(verdict.ok).toBe(point === 'tape.close')
        // What is there is a beginning of the run, without a hole.
        expect(tape.records.map((record) => record.seq)).toEqual(tape.records.map((_, at) => at))
      },
    )
  })
})

test('every named fault point is reached by a run', async () => {
  const reached = new Set<string>()
  const armed = armFaults((point) => void reached.add(point))
  await program(join(tempFolder(), 'run.tape'))
  armed[Symbol.dispose]()
  expect([...reached].sort()).toEqual([...writerFaultPoints, ...casFaultPoints].sort())
})

test('a tape that cannot be created is an error at once', () => {
  using _armed = armFaults((point) => {
    if (point === 'tape.open') throw Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' })
  })
  expect(() => TapeWriter.open(join(tempFolder(), 'run.tape'), fromReprise(createHeader()))).toThrow(
    expect.objectContaining({ code: 'io' }),
  )
})

test('on a disk that is really full the program goes on, and the tape opens', async (context) => {
  needs(context, 'unshare', 'mount')
  const folder = tempFolder()
  const script = `mount -t tmpfs -o size=96k none ${folder} && ${process.execPath} --import tsx test/support/fill-disk.ts ${join(folder, 'run.tape')}`
  const run = await runChild(
    'unshare',
    ['-m', 'sh', '-c', `${script} && cp ${join(folder, 'run.tape')} ${folder}-copy.tape`],
    {},
  )
  if (run.stderr.includes('Operation not permitted') || run.stderr.includes('permission denied'))
    return context.skip('root for unshare -m')
  expect(run.stderr).toBe('')
  expect(JSON.parse(run.stdout)).toEqual({ steps: 400, closed: 'tape-write-failed' })
  expect(EventTape.loadSync(`${folder}-copy.tape`).records.length).toBeGreaterThan(5)
  expect(hasProgram('unshare')).toBe(true)
})

async function program(path: string): Promise<{ steps: number; closed: string }> {
  const writer = TapeWriter.open(path, fromReprise(createHeader()), { durability: 'fsync' })
  const recorder = createStreamingRecorder(writer)
  let steps = 0
  for (; steps < 10; steps += 1) {
    step(recorder, steps)
    await null
  }
  return { steps, closed: closeOf(writer) }
}

function step(recorder: TapeRecorder, at: number): void {
  const response = recorder.payloadFromBytes(fromDisk<Uint8Array>(Buffer.alloc(4000 + at * 100, String(at))))
  recorder.record({ kind: 'llm_call', requestDigest: response.contentHash, response })
}

function closeOf(writer: TapeWriter): string {
  try {
    writer.close()
    return 'whole'
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
  }
}
