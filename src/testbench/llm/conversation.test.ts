import { statSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { type Json, label, utf8 } from '../../base/index.ts'
import type { Outcome } from '../../boundaries/session.ts'
import { createScrubber } from '../../scrub/index.ts'
import { fromReprise } from '../../scrub/scrubbed.ts'
import {
  createHeader,
  createStreamingRecorder,
  EventTape,
  type Kind,
  rebuildRequest,
  requestBytes,
  type TapeRecord,
  TapeWriter,
  verifyTape,
} from '../../tape/index.ts'
import { createRecordSession } from '../compose/record-session.ts'

const URL = 'http://127.0.0.1:1/v1/chat/completions'
const HEAD: Outcome = {
  type: 'head',
  status: 200,
  statusText: 'OK',
  headers: [['content-type', 'application/json']],
}
const END: Outcome = { type: 'end', trailers: [] }

async function taped(
  drive: (
    call: (body: string, ...outcomes: readonly (Outcome | 'abandon')[]) => Promise<void>,
  ) => Promise<void>,
): Promise<{ path: string; records: readonly TapeRecord[] }> {
  const path = join(tempFolder(), 'run.tape')
  const writer = TapeWriter.open(path, fromReprise(createHeader({ scriptPath: null, argv: [] })))
  const { session } = createRecordSession({
    recorder: createStreamingRecorder(writer),
    scrubber: createScrubber({}),
  })
  await drive(async (body, ...outcomes) => {
    let left = outcomes.filter((outcome) => outcome !== 'abandon').length
    await new Promise<void>((resolve) => {
      const receive = (): void => {
        left -= 1
        if (left === 0) resolve()
      }
      const effect = session.start(label('network'), URL, receive, {
        request: {
          method: 'POST',
          url: URL,
          headers: [['content-type', 'application/json']],
          body: utf8(body),
        },
      })
      for (const outcome of outcomes) if (outcome !== 'abandon') effect.arrive(outcome)
      if (outcomes.includes('abandon')) {
        if (left > 0) setImmediate(() => setImmediate(() => setImmediate(() => effect.close())))
        else {
          effect.close()
          resolve()
        }
      }
    })
    await new Promise((resolve) => setImmediate(() => setImmediate(() => setImmediate(resolve))))
  })
  writer.close(fromReprise({ boundaries: {}, exit: null, stdout: null, stderr: null }))
  return { path, records: EventTape.loadSync(path).records }
}

function only<N extends 'llm_call' | 'http_exchange' | 'effect_start' | 'stream_end'>(
  records: readonly TapeRecord[],
  name: N,
): (TapeRecord & { kind: Kind<N> })[] {
  return records.filter((record): record is TapeRecord & { kind: Kind<N> } => record.kind.kind === name)
}

const answer = (text: string): Outcome => ({
  type: 'chunk',
  bytes: utf8(
    JSON.stringify({
      object: 'chat.completion',
      model: 'gpt',
      choices: [{ index: 0, message: { content: text }, finish_reason: 'stop' }],
    }),
  ),
})

const tools = Array.from({ length: 20 }, (_, at) => ({
  type: 'function',
  function: { name: `tool_${at}`, description: 'does one thing and does it well, without fail' },
}))
const requestAt = (turn: number): string =>
  JSON.stringify({
    model: 'gpt',
    messages: Array.from({ length: turn * 2 + 1 }, (_, at) => ({
      role: at % 2 === 0 ? 'user' : 'assistant',
      content: `turn ${at} `.padEnd(1000, 'x'),
    })),
    tools,
  })

test('a conversation of 50 turns grows by its turns, and every body comes back byte for byte', async () => {
  const sizes: number[] = []
  const { path, records } = await taped(async (call) => {
    for (let turn = 0; turn < 50; turn += 1) await call(requestAt(turn), HEAD, answer(`answer ${turn}`), END)
  })
  const calls = only(records, 'llm_call')
  expect(calls).toHaveLength(50)
  for (const [turn, { seq, kind }] of calls.entries()) {
    sizes.push(JSON.stringify(kind.request).length)
    expect(JSON.stringify(rebuildRequest(path, seq))).toBe(requestAt(turn))
    expect(Buffer.from(requestBytes(path, kind.wire ?? -1) ?? []).toString()).toBe(requestAt(turn))
  }
  // What a turn adds is two messages, the fiftieth as the second.
  expect(Math.max(...sizes.slice(1)) - Math.min(...sizes.slice(1))).toBeLessThan(50)
  const sent = Array.from({ length: 50 }, (_, turn) => requestAt(turn).length).reduce(
    (sum, size) => sum + size,
    0,
  )
  expect(sent).toBeGreaterThan(2_500_000)
  expect(statSync(path).size).toBeLessThan(400_000)
  expect(only(records, 'http_exchange').every(({ kind }) => kind.requestBody === undefined)).toBe(true)
  expect(await verifyTape(path)).toMatchObject({ ok: true })
})

describe('what becomes of a call', () => {
  const cases: readonly (readonly [
    name: string,
    outcomes: readonly (Outcome | 'abandon')[],
    expected: { readonly text: string; readonly error: Json | undefined },
  ])[] = [
    ['a whole answer', [HEAD, answer('hi'), END], { text: 'hi', error: undefined }],
    [
      'an HTTP error with a JSON body',
      [
        { ...HEAD, status: 429 },
        { type: 'chunk', bytes: utf8('{"error":{"message":"slow down","type":"rate"}}') },
        END,
      ],
      { text: '', error: { type: 'http', status: 429, detail: { message: 'slow down', type: 'rate' } } },
    ],
    [
      'an HTTP error without any',
      [{ ...HEAD, status: 502 }, { type: 'chunk', bytes: utf8('<html>') }, END],
      { text: '', error: { type: 'http', status: 502 } },
    ],
    [
      'a refused connection',
      [
        {
          type: 'error',
          error: {
            constructorName: 'Error',
            name: 'Error',
            message: 'connect ECONNREFUSED',
            code: 'ECONNREFUSED',
          },
        },
      ],
      {
        text: '',
        error: {
          type: 'connection',
          detail: {
            constructorName: 'Error',
            name: 'Error',
            message: 'connect ECONNREFUSED',
            code: 'ECONNREFUSED',
          },
        },
      },
    ],
    [
      'a cut stream',
      [
        HEAD,
        {
          type: 'chunk',
          bytes: utf8(
            'data: {"model":"gpt","choices":[{"index":0,"delta":{"content":"half"}}]}\n\ndata: {"mod',
          ),
        },
        {
          type: 'error',
          error: {
            constructorName: 'SocketError',
            name: 'SocketError',
            message: 'other side closed',
            code: 'UND_ERR_SOCKET',
          },
        },
      ],
      {
        text: 'half',
        error: {
          type: 'cut',
          detail: {
            constructorName: 'SocketError',
            name: 'SocketError',
            message: 'other side closed',
            code: 'UND_ERR_SOCKET',
          },
        },
      },
    ],
    [
      'given up in mid-stream',
      [
        HEAD,
        { type: 'chunk', bytes: utf8('data: {"choices":[{"index":0,"delta":{"content":"half"}}]}\n\n') },
        'abandon',
      ],
      { text: 'half', error: { type: 'abandoned' } },
    ],
    ['given up before any answer', ['abandon'], { text: '', error: { type: 'abandoned' } }],
    [
      'an end that came too early',
      [
        HEAD,
        { type: 'chunk', bytes: utf8('data: {"choices":[{"index":0,"delta":{"content":"a"}}]}\n\n') },
        END,
      ],
      { text: 'a', error: { type: 'incomplete' } },
    ],
  ]
  test.each(cases)('%s', async (_name, outcomes, expected) => {
    const { records } = await taped((call) => call(requestAt(0), ...outcomes))
    const [call] = only(records, 'llm_call')
    expect(call?.kind.error).toEqual(expected.error)
    expect(call?.kind.response.form === 'inline' ? JSON.parse(call.kind.response.text).text : null).toBe(
      expected.text,
    )
    expect(call?.kind).toMatchObject({ provider: 'openai', model: 'gpt', wire: 1 })
    expect(only(records, 'llm_call')).toHaveLength(1)
  })

  test('a compressed answer is read all the same, and the wire stays as it came', async () => {
    const plain = answer('squeezed')
    const bytes = plain.type === 'chunk' ? gzipSync(plain.bytes) : new Uint8Array()
    const head: Outcome = {
      type: 'head',
      status: 200,
      statusText: 'OK',
      headers: [
        ['content-type', 'application/json'],
        ['content-encoding', 'gzip'],
      ],
    }
    const { records } = await taped((call) => call(requestAt(0), head, { type: 'chunk', bytes }, END))
    expect(only(records, 'llm_call')[0]?.kind.response).toMatchObject({
      text: expect.stringContaining('"text":"squeezed"'),
    })
  })

  test('what was held back of a stream that was given up is on the tape', async () => {
    const head: Outcome = {
      type: 'head',
      status: 200,
      statusText: 'OK',
      headers: [
        ['content-type', 'text/event-stream'],
        ['content-encoding', 'gzip'],
      ],
    }
    const { records } = await taped((call) =>
      call(requestAt(0), head, { type: 'chunk', bytes: gzipSync(utf8('data: {}\n\n')) }, 'abandon'),
    )
    expect(only(records, 'stream_end')[0]?.kind).toMatchObject({
      of: 1,
      tail: expect.anything(),
      closedBy: 'program',
    })
  })

  test('a secret that the model gives in two pieces is not put together on the tape', async () => {
    const key = `sk-ant-api03-${'Zx81kQpL'.repeat(12)}AA`
    const piece = (text: string): Outcome => ({
      type: 'chunk',
      bytes: utf8(`data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: text } }] })}\n\n`),
    })
    const { records } = await taped((call) =>
      call(requestAt(0), HEAD, piece(`the key is ${key.slice(0, 30)}`), piece(key.slice(30)), END),
    )
    expect(JSON.stringify(only(records, 'llm_call')[0]?.kind.response)).not.toContain(key)
  })

  test('a body that is no compact JSON keeps its bytes in the exchange', async () => {
    const spaced = JSON.stringify(JSON.parse(requestAt(0)), null, 2)
    const { path, records } = await taped(async (call) => {
      await call(spaced, HEAD, answer('a'), END)
      await call(spaced, HEAD, answer('b'), END)
    })
    expect(only(records, 'effect_start').map(({ kind }) => kind.request)).toEqual([undefined, undefined])
    expect(Buffer.from(requestBytes(path, 2) ?? []).toString()).toBe(spaced)
    expect(only(records, 'llm_call')[1]?.kind.request).toMatchObject({ keep: 1, append: [] })
  })

  test('a request too large for a line is a payload once, and the next one grows from it', async () => {
    const image = {
      type: 'image_url',
      image_url: { url: `data:image/png;base64,${'iVBORw0K'.repeat(200_000)}` },
    }
    const body = (more: readonly object[]): string =>
      JSON.stringify({ model: 'gpt', messages: [{ role: 'user', content: [image] }, ...more] })
    const { path, records } = await taped(async (call) => {
      await call(body([]), HEAD, answer('a picture'), END)
      await call(body([{ role: 'user', content: 'and?' }]), HEAD, answer('b'), END)
    })
    expect(statSync(path).size).toBeLessThan(20_000)
    expect(Buffer.from(requestBytes(path, 2) ?? []).toString()).toBe(
      body([{ role: 'user', content: 'and?' }]),
    )
    expect(JSON.stringify(rebuildRequest(path, only(records, 'llm_call')[1]?.seq ?? -1))).toBe(
      body([{ role: 'user', content: 'and?' }]),
    )
  })
})
