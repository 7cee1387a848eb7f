/** Chunks of an answer that come in one turn share a record, and reach the program as they came. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { reseal } from '../../../test/support/reseal.ts'
import { HEAD } from '../../../test/support/scripted-programs.ts'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { label } from '../../base/index.ts'
import { activeSession, outside } from '../../boundaries/context.ts'
import type { Outcome } from '../../boundaries/session.ts'
import { compare, tapeFile } from '../../fidelity/index.ts'
import { type Kind, readTapeEvents, type TapeRecord } from '../../tape/index.ts'
import { encodeRecord } from '../../tape/record.ts'
import { separateChunks } from '../../tape/separate-chunks.ts'
import { record, replay } from './in-process.ts'

type Received = string | number
type Answer = { readonly turns: readonly (readonly string[])[]; onChunk?(count: number): number | null }

/**
 * An exchange whose chunks come in these turns. `onChunk` runs when the program has received a chunk: null leaves
 * the exchange, a number is what the program has read.
 */
const program =
  ({ turns, onChunk }: Answer) =>
  (): Promise<Received[]> =>
    new Promise((resolve) => {
      const received: Received[] = []
      let count = 0
      const receive = (outcome: Outcome): void => {
        if (outcome.type === 'end') close()
        if (outcome.type !== 'chunk') return
        received.push(Buffer.from(outcome.bytes).toString())
        count += 1
        const read = onChunk?.(count)
        if (read === null) close()
        else if (read !== undefined) received.push(read)
      }
      const close = (): void => {
        effect.close()
        resolve(received)
      }
      const effect = activeSession()?.start(label('network'), 'GET', receive, REQUEST) ?? noSession()
      if (!effect.isLive) return
      effect.arrive(HEAD)
      const send = (left: readonly (readonly string[])[]): void => {
        const [turn, ...later] = left
        for (const text of turn ?? []) effect.arrive({ type: 'chunk', bytes: Buffer.from(text) })
        if (turn === undefined) effect.arrive({ type: 'end', trailers: [] })
        else turnsLater(() => send(later))
      }
      turnsLater(() => send(turns))
    })

const REQUEST = { request: { method: 'GET', url: 'http://service.test/', headers: [], body: null } }
const TEXTS = ['one, ', 'zwölf, ', 'three, ', '四, ', 'five, ']

/** The gate has delivered by then. */
function turnsLater(then: () => void): void {
  outside(() => setImmediate(() => setImmediate(() => setImmediate(then))))
}

function noSession(): never {
  throw new Error('no session')
}

function recordsOf(tape: string): TapeRecord[] {
  return [...readTapeEvents(tape)].flatMap((event) => (event.type === 'record' ? [event.record] : []))
}

function chunksOf(tape: string): Kind<'stream_chunk'>[] {
  return recordsOf(tape).flatMap(({ kind }) => (kind.kind === 'stream_chunk' ? [kind] : []))
}

async function recorded(answer: Answer): Promise<{ tape: string; received: Received[] }> {
  const tape = join(tempFolder(), 'run.tape')
  const received = await record(tape, program(answer))
  const { report, value } = await replay(tape, program(answer))
  expect([report.verdict, value]).toEqual(['faithful', received])
  return { tape, received }
}

test('one record has all chunks of a turn', async () => {
  const { tape, received } = await recorded({ turns: [TEXTS, ['last, ']] })
  expect(received).toEqual([...TEXTS, 'last, '])
  const parts = TEXTS.map((text) => Buffer.byteLength(text))
  expect(chunksOf(tape).map(({ n, data, parts }) => [n, data, parts])).toEqual([
    [0, { form: 'text', text: TEXTS.join('') }, parts],
    [5, { form: 'text', text: 'last, ' }, undefined],
  ])
})

test('server-sent events are JSON on the tape, and reach the program byte for byte', async () => {
  const turns = [
    ['data: {"n":1}\n\n', 'data: {"n":2}\n\ndata: {"n"', ':3}\n\n'],
    ['event: end\ndata: {"n":4}\n\n', 'data: {"n":5.0}\n\n', 'data: [DONE]\n\n'],
    ['data: {"n": 6}\n\n'],
  ]
  const { tape, received } = await recorded({ turns })
  expect(received).toEqual(turns.flat())
  const lines = readFileSync(tape, 'utf8').split('\n')
  expect(lines.flatMap((line) => /"data":(\{.*?\})(?:,"parts":.*)?\}\}$/.exec(line)?.[1] ?? [])).toEqual([
    '{"events":[{"n":1},{"n":2},{"n":3}]}',
    '{"events":[["end",{"n":4}]],"rest":"data: {\\"n\\":5.0}\\n\\ndata: [DONE]\\n\\n"}',
    '{"text":"data: {\\"n\\": 6}\\n\\n"}',
  ])
})

test('a record has at most 16 KiB of them', async () => {
  const { tape } = await recorded({
    turns: [Array.from({ length: 19 }, (_, n) => 'so many words, '.repeat(66 + n))],
  })
  expect(chunksOf(tape).map(({ n, parts, turn }) => [n, parts?.length, turn])).toEqual([
    [0, 14, undefined],
    [14, 5, 'same'],
  ])
})

test('a chunk with a secret has its own', async () => {
  const tape = join(tempFolder(), 'run.tape')
  const answer = { turns: [['a ', 'b ', `key sk-ant-${'api03-'}${'Zx9'.repeat(30)} `, 'c ', 'd ']] }
  await record(tape, program(answer))
  expect((await replay(tape, program(answer))).report.verdict).toBe('faithful')
  expect(readFileSync(tape, 'utf8')).not.toContain('Zx9Zx9')
  for (const { held, parts } of chunksOf(tape)) expect(held !== undefined && parts !== undefined).toBe(false)
  for (const { scrubbed, kind } of recordsOf(tape))
    if (scrubbed !== undefined) expect(kind).not.toHaveProperty('parts')
})

test('what the program reads between two chunks stays between them', async () => {
  const { tape } = await recorded({ turns: [TEXTS], onChunk: (count) => (count === 2 ? Date.now() : 0) })
  const order = recordsOf(tape).flatMap(({ kind }): (number | string)[] => {
    if (kind.kind === 'stream_chunk') return [kind.parts?.length ?? 1]
    return kind.kind === 'clock_read' ? ['read'] : []
  })
  expect(order).toEqual([2, 'read', 3])
})

test('a program that leaves in the middle of them has what it received on the tape', async () => {
  const { tape, received } = await recorded({ turns: [TEXTS], onChunk: (count) => (count === 2 ? null : 0) })
  expect(received).toEqual([TEXTS[0], 0, TEXTS[1]])
  expect(chunksOf(tape).map(({ parts }) => parts)).toEqual([[5, 8]])
})

test('a replay that reads the clock between two of them is compared chunk by chunk', async () => {
  const { tape } = await recorded({ turns: [TEXTS] })
  const reading = program({ turns: [TEXTS], onChunk: () => Date.now() })
  const { report } = await replay(tape, reading)
  expect(report).toMatchObject({ verdict: 'faithful', clock_reads: { extra: TEXTS.length } })
})

test('they are equal to chunks with records of their own', async () => {
  const { tape } = await recorded({ turns: [TEXTS] })
  const [header = ''] = readFileSync(tape, 'utf8').split('\n')
  const separate = recordsOf(tape).flatMap((each) => separateChunks(each) ?? [each])
  expect(separate.length).toBe(recordsOf(tape).length + TEXTS.length - 1)
  const other = join(tempFolder(), 'other.tape')
  writeFileSync(other, `${[header, ...separate.map(encodeRecord)].join('\n')}\n`)
  for (const mode of ['byte_identical', 'semantic'] as const)
    expect(compare(tapeFile(tape), tapeFile(other), mode)).toMatchObject({ divergenceCount: 0 })
})

test('an edit replaces the text of all of them', async () => {
  const { tape } = await recorded({ turns: [TEXTS, ['last, ']] })
  const seq = recordsOf(tape).find(({ kind }) => kind.kind === 'stream_chunk')?.seq ?? -1
  const edits = [{ seq, edit: { text: 'edited' } }]
  const { value } = await replay(tape, program({ turns: [] }), { edits })
  expect(value).toEqual(['edited', 'last, '])
})

test('lengths that do not fit the bytes are a difference', async () => {
  const { tape } = await recorded({ turns: [TEXTS] })
  reseal(tape, (lines) => lines.map((line) => line.replace('"parts":[5,', '"parts":[6,')))
  const replayed = replay(tape, program({ turns: [TEXTS] }))
  await expect(replayed).rejects.toMatchObject({ code: 'replay-diverged' })
})
