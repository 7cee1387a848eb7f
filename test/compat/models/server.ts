/**
 * A local server that speaks the five APIs of models, byte by byte as they do, with random ids, random delays
 * and cuts between chunks that fall anywhere. The model's name says what happens: `plain`, `tools`, `denied`
 * (401), `busy` (429 twice, then an answer), `broken` (500), `slow` (never ends by itself), `cut` (the
 * connection breaks in mid-stream).
 */
import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export type ModelServer = {
  readonly url: string
  readonly seenKeys: ReadonlySet<string>
  readonly requests: () => number
  stop(): Promise<void>
}

type Dialect = {
  whole(text: string, tool: boolean, model: string): object
  /** One event or line per entry, as text with its framing. */
  stream(words: readonly string[], tool: boolean, model: string): readonly string[]
  readonly contentType: string
  failure(status: number): object
}

export async function startModelServer(): Promise<ModelServer> {
  const seenKeys = new Set<string>()
  const busy = new Map<string, number>()
  let requests = 0
  const server = createServer((request, response) => {
    requests += 1
    for (const name of ['authorization', 'x-api-key', 'x-goog-api-key']) {
      const value = request.headers[name]
      if (typeof value === 'string') seenKeys.add(value.replace(/^Bearer /, ''))
    }
    void answer(request, response, busy)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seenKeys,
    requests: () => requests,
    stop: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  busy: Map<string, number>,
): Promise<void> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  const body: { model?: string; stream?: boolean } = JSON.parse(Buffer.concat(parts).toString('utf8') || '{}')
  const path = (request.url ?? '').split('?')[0] ?? ''
  const dialect = dialectOf(path)
  const model = body.model ?? /models\/([^:]+):/.exec(path)?.[1] ?? ''
  const fail = (status: number): void => {
    response
      .writeHead(status, {
        'content-type': 'application/json',
        'retry-after-ms': '15',
        'retry-after': '1',
        'x-request-id': randomUUID(),
      })
      .end(JSON.stringify(dialect.failure(status)))
  }
  if (model.startsWith('denied')) return fail(401)
  if (model.startsWith('broken')) return fail(500)
  if (model.startsWith('busy')) {
    const times = (busy.get(path) ?? 0) + 1
    busy.set(path, times)
    if (times % 3 !== 0) return fail(429)
  }
  const isStream =
    body.stream === true ||
    path.endsWith(':streamGenerateContent') ||
    (path.startsWith('/api/') && body.stream !== false)
  const tool = model.startsWith('tools')
  const text = `Bøt 🐟 ${randomUUID()}`
  if (!isStream) {
    await delay(4)
    response
      .writeHead(200, { 'content-type': 'application/json', 'x-request-id': randomUUID() })
      .end(JSON.stringify(dialect.whole(text, tool, model)))
    return
  }
  response.writeHead(200, { 'content-type': dialect.contentType, 'x-request-id': randomUUID() })
  const words = model.startsWith('slow')
    ? Array.from({ length: 400 }, (_, at) => `word ${at} `)
    : text.split(/(?<= )/)
  await send(response, dialect.stream(words, tool, model).join(''), model)
}

/** In pieces of any length: events and characters are cut where it happens. */
async function send(response: ServerResponse, text: string, model: string): Promise<void> {
  const bytes = Buffer.from(text)
  const end = model.startsWith('cut') ? bytes.length / 2 : bytes.length
  for (let at = 0; at < end; ) {
    const size = 20 + Math.floor(Math.random() * 150)
    if (response.destroyed) return
    response.write(bytes.subarray(at, at + size))
    at += size
    await delay(model.startsWith('slow') ? 12 : 4)
  }
  if (model.startsWith('cut')) response.socket?.destroy()
  else response.end()
}

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.random() * ms))
}

function dialectOf(path: string): Dialect {
  if (path.endsWith('/chat/completions')) return chat
  if (path.endsWith('/responses')) return responses
  if (path.endsWith('/messages')) return anthropic
  return path.startsWith('/api/') ? ollama : gemini
}

const ARGUMENTS = '{"city":"Ålesund","days":3}'
const event = (value: object): string => `data: ${JSON.stringify(value)}\n\n`
const named = (value: { readonly type: string; readonly [name: string]: unknown }): string =>
  `event: ${value.type}\ndata: ${JSON.stringify(value)}\n\n`
const created = (): number => 1_700_000_000 + Math.floor(Math.random() * 1e6)

const chat: Dialect = {
  contentType: 'text/event-stream',
  failure: (status) => ({
    error: { message: `no: ${status}`, type: 'test_error', param: null, code: `code_${status}` },
  }),
  whole(text, tool, model) {
    const calls = [
      { id: `call_${randomUUID()}`, type: 'function', function: { name: 'weather', arguments: ARGUMENTS } },
    ]
    const message = tool
      ? { role: 'assistant', content: null, tool_calls: calls }
      : { role: 'assistant', content: text, refusal: null }
    return {
      id: `chatcmpl-${randomUUID()}`,
      object: 'chat.completion',
      created: created(),
      model: `${model}-2026`,
      choices: [{ index: 0, message, logprobs: null, finish_reason: tool ? 'tool_calls' : 'stop' }],
      usage: {
        prompt_tokens: 12,
        completion_tokens: 5,
        total_tokens: 17,
        prompt_tokens_details: { cached_tokens: 3 },
      },
    }
  },
  stream(words, tool, model) {
    const head = {
      id: `chatcmpl-${randomUUID()}`,
      object: 'chat.completion.chunk',
      created: created(),
      model: `${model}-2026`,
    }
    const piece = (delta: object, finish_reason: string | null = null): string =>
      event({ ...head, choices: [{ index: 0, delta, logprobs: null, finish_reason }] })
    const called = [
      piece({
        tool_calls: [
          {
            index: 0,
            id: `call_${randomUUID()}`,
            type: 'function',
            function: { name: 'weather', arguments: '' },
          },
        ],
      }),
      ...(ARGUMENTS.match(/.{1,9}/g) ?? []).map((part) =>
        piece({ tool_calls: [{ index: 0, function: { arguments: part } }] }),
      ),
    ]
    const usage = {
      prompt_tokens: 12,
      completion_tokens: 5,
      total_tokens: 17,
      prompt_tokens_details: { cached_tokens: 3 },
    }
    return [
      piece({ role: 'assistant', content: '' }),
      ...(tool ? called : words.map((content) => piece({ content }))),
      piece({}, tool ? 'tool_calls' : 'stop'),
      event({ ...head, choices: [], usage }),
      'data: [DONE]\n\n',
    ]
  },
}

const responses: Dialect = {
  contentType: 'text/event-stream',
  failure: chat.failure,
  whole(text, tool, model) {
    const output = tool
      ? [
          {
            type: 'function_call',
            id: `fc_${randomUUID()}`,
            call_id: `call_${randomUUID()}`,
            name: 'weather',
            arguments: ARGUMENTS,
            status: 'completed',
          },
        ]
      : [
          {
            type: 'message',
            id: `msg_${randomUUID()}`,
            role: 'assistant',
            status: 'completed',
            content: [{ type: 'output_text', text, annotations: [] }],
          },
        ]
    return {
      id: `resp_${randomUUID()}`,
      object: 'response',
      created_at: created(),
      status: 'completed',
      model: `${model}-2026`,
      output,
      parallel_tool_calls: true,
      tools: [],
      error: null,
      incomplete_details: null,
      usage: {
        input_tokens: 12,
        output_tokens: 5,
        total_tokens: 17,
        input_tokens_details: { cached_tokens: 3 },
        output_tokens_details: { reasoning_tokens: 0 },
      },
    }
  },
  stream(words, tool, model) {
    const done = responses.whole(words.join(''), tool, model) as {
      readonly output: readonly { readonly id: string }[]
    }
    const item = done.output[0] ?? { id: '' }
    const deltas = tool
      ? (ARGUMENTS.match(/.{1,9}/g) ?? []).map((delta) => ({
          type: 'response.function_call_arguments.delta',
          item_id: item.id,
          output_index: 0,
          delta,
        }))
      : words.map((delta) => ({
          type: 'response.output_text.delta',
          item_id: item.id,
          output_index: 0,
          content_index: 0,
          delta,
          logprobs: [],
        }))
    const opened = tool
      ? { ...item, arguments: '', status: 'in_progress' }
      : { ...item, content: [], status: 'in_progress' }
    const events = [
      { type: 'response.created', response: { ...done, status: 'in_progress', output: [], usage: null } },
      { type: 'response.output_item.added', output_index: 0, item: opened },
      ...(tool
        ? []
        : [
            {
              type: 'response.content_part.added',
              item_id: item.id,
              output_index: 0,
              content_index: 0,
              part: { type: 'output_text', text: '', annotations: [] },
            },
          ]),
      ...deltas,
      { type: 'response.output_item.done', output_index: 0, item },
      { type: 'response.completed', response: done },
    ]
    return events.map((each, sequence_number) => named({ ...each, sequence_number }))
  },
}

const anthropic: Dialect = {
  contentType: 'text/event-stream',
  failure: (status) => ({ type: 'error', error: { type: 'test_error', message: `no: ${status}` } }),
  whole: (text, tool, model) => ({
    id: `msg_${randomUUID()}`,
    type: 'message',
    role: 'assistant',
    model: `${model}-2026`,
    content: tool
      ? [{ type: 'tool_use', id: `toolu_${randomUUID()}`, name: 'weather', input: JSON.parse(ARGUMENTS) }]
      : [{ type: 'text', text }],
    stop_reason: tool ? 'tool_use' : 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: 12, output_tokens: 5, cache_read_input_tokens: 3, cache_creation_input_tokens: 2 },
  }),
  stream(words, tool, model) {
    const message = { ...anthropic.whole('', false, model), content: [], stop_reason: null }
    const block = tool
      ? { type: 'tool_use', id: `toolu_${randomUUID()}`, name: 'weather', input: {} }
      : { type: 'text', text: '' }
    const deltas = tool
      ? (ARGUMENTS.match(/.{1,9}/g) ?? []).map((partial_json) => ({ type: 'input_json_delta', partial_json }))
      : words.map((text) => ({ type: 'text_delta', text }))
    return [
      named({ type: 'message_start', message }),
      named({ type: 'content_block_start', index: 0, content_block: block }),
      named({ type: 'ping' }),
      ...deltas.map((delta) => named({ type: 'content_block_delta', index: 0, delta })),
      named({ type: 'content_block_stop', index: 0 }),
      named({
        type: 'message_delta',
        delta: { stop_reason: tool ? 'tool_use' : 'end_turn', stop_sequence: null },
        usage: { output_tokens: 5 },
      } as {
        type: string
      }),
      named({ type: 'message_stop' }),
    ]
  },
}

const gemini: Dialect = {
  contentType: 'text/event-stream',
  failure: (status) => ({ error: { code: status, message: `no: ${status}`, status: 'TEST_ERROR' } }),
  whole: (text, tool, model) => ({
    candidates: [
      {
        index: 0,
        content: {
          role: 'model',
          parts: [
            tool
              ? { functionCall: { id: randomUUID(), name: 'weather', args: JSON.parse(ARGUMENTS) } }
              : { text },
          ],
        },
        finishReason: 'STOP',
      },
    ],
    usageMetadata: {
      promptTokenCount: 12,
      candidatesTokenCount: 5,
      totalTokenCount: 17,
      cachedContentTokenCount: 3,
    },
    modelVersion: `${model}-2026`,
    responseId: randomUUID(),
  }),
  stream: (words, tool, model) =>
    tool
      ? [event(gemini.whole('', true, model)).replaceAll('\n', '\r\n')]
      : words.map((text, at) => {
          const whole = gemini.whole(text, false, model) as { candidates: { finishReason?: string }[] }
          if (at < words.length - 1) delete whole.candidates[0]?.finishReason
          return event(whole).replaceAll('\n', '\r\n')
        }),
}

const ollama: Dialect = {
  contentType: 'application/x-ndjson',
  failure: (status) => ({ error: `no: ${status}` }),
  whole: (text, tool, model) => ({
    model: `${model}-2026`,
    created_at: new Date().toISOString(),
    message: {
      role: 'assistant',
      content: tool ? '' : text,
      ...(tool ? { tool_calls: [{ function: { name: 'weather', arguments: JSON.parse(ARGUMENTS) } }] } : {}),
    },
    done: true,
    done_reason: 'stop',
    total_duration: Math.floor(Math.random() * 1e9),
    prompt_eval_count: 12,
    eval_count: 5,
  }),
  stream: (words, tool, model) =>
    [
      ...(tool ? [] : words).map((content) => ({
        model: `${model}-2026`,
        created_at: new Date().toISOString(),
        message: { role: 'assistant', content },
        done: false,
      })),
      { ...ollama.whole('', tool, model) },
    ].map((line) => `${JSON.stringify(line)}\n`),
}
