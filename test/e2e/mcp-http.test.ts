/**
 * MCP over HTTP, spoken by hand: recorded, then replayed with the server gone. Ids and progress tokens are
 * the client's own and may change; params may not.
 */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { type Kind, type KindName, readTapeEvents } from '../../src/tape/index.ts'
import { startMcpHttpServer } from '../support/mcp-http-server.ts'
import { type RecordedProgram, recordProgram } from '../support/recorded-program.ts'

/** A client without a library: `id` and `a` are what a test changes. */
const client = (place: string, { id = (n: number): string => String(n), a = 2, extra = '' } = {}): string => `
const post = async (message) => {
  const response = await fetch(process.env.MCP_SERVER + '/${place}', { method: 'POST', headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }, body: JSON.stringify(message) })
  return response.status + ' ' + response.headers.get('content-length') + ' ' + await response.text()
}
const say = (line) => console.log(line.trim())
say(await post({ jsonrpc: '2.0', id: ${id(1)}, method: 'initialize', params: { protocolVersion: '2025-06-18', clientInfo: { name: 'by hand' } } }))
await post({ jsonrpc: '2.0', method: 'notifications/initialized' }).then(() => undefined)
for (const a of [1, ${a}, 1]) say(await post({ jsonrpc: '2.0', id: ${id(2)} , method: 'tools/call', params: { name: 'add', arguments: { a }, _meta: { progressToken: ${id(2)} } } }))
say(await post([{ jsonrpc: '2.0', id: ${id(3)}, method: 'ping' }, { jsonrpc: '2.0', id: ${id(4)}, method: 'ping', params: {} }]))
say(await post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: ${id(3)}, reason: 'enough' } }))
${extra}
`

const kindsOf = <N extends KindName>(tape: string, name: N): Kind<N>[] => {
  const isWanted = (kind: { readonly kind: string }): kind is Kind<N> => kind.kind === name
  return [...readTapeEvents(tape)].flatMap((event) =>
    event.type === 'record' && isWanted(event.record.kind) ? [event.record.kind] : [],
  )
}

async function recorded(source: string) {
  const server = await startMcpHttpServer()
  const program = await recordProgram(source, { MCP_SERVER: server.url })
  await server.stop()
  expect(program.recorded).toMatchObject({ code: 0, stderr: '' })
  return program
}

test.each(['json', 'events'])(
  'answers as %s: the same client, one with other ids, one with other params',
  async (place) => {
    const program = await recorded(client(place))
    await sameClient(program, place)
    await otherIds(program, place)
    await otherParams(program, place)
  },
)

async function sameClient(program: RecordedProgram, place: string): Promise<void> {
  const { report, stdout } = await program.replay()
  expect(report).toMatchObject({ verdict: 'faithful', divergences: [], unused: [] })
  expect(stdout).toBe(program.recorded.stdout)
  expect(kindsOf(program.tape, 'mcp_json_rpc').map(({ server, method }) => `${server} ${method}`)).toEqual([
    'adder initialize',
    'adder tools/call',
    'adder tools/call',
    'adder tools/call',
    'adder ping',
    'adder ping',
  ])
  expect(
    kindsOf(program.tape, 'mcp_message').map(
      ({ direction, message }) =>
        `${direction} ${message.form === 'inline' ? JSON.parse(message.text).method : ''}`,
    ),
  ).toEqual([
    'out notifications/initialized',
    ...(place === 'events'
      ? ['in notifications/progress', 'in notifications/progress', 'in notifications/progress']
      : []),
    'out notifications/cancelled',
  ])
}

/** A client that counts otherwise gets its own ids and tokens back. */
async function otherIds(program: RecordedProgram, place: string): Promise<void> {
  const other = (n: number): string => `'call-${n}-with-a-long-name'`
  program.change(client(place, { id: other }))
  const { report, stdout } = await program.replay()
  expect(report.divergences.filter(({ category }) => category !== 'stdout')).toEqual([])
  const renamed = program.recorded.stdout
    .replaceAll(/"id":(\d)/g, '"id":"call-$1-with-a-long-name"')
    .replaceAll(/"progressToken":(\d)/g, '"progressToken":"call-$1-with-a-long-name"')
  const bodies = (text: string): string => text.replaceAll(/^(\d+) \S+ /gm, '$1 ')
  expect(bodies(stdout)).toBe(bodies(renamed))
  if (place === 'json')
    for (const [, length, body] of stdout.matchAll(/^200 (\d+) (.*)$/gm))
      expect(Buffer.byteLength(body ?? '')).toBe(Number(length))
}

/** Other params are a divergence, and an error of the server to the client. */
async function otherParams(program: RecordedProgram, place: string): Promise<void> {
  program.change(client(place, { a: 7 }))
  const { code, report, stdout } = await program.replay()
  expect(code).toBe(2)
  expect(report.verdict).toBe('diverged')
  expect(report.divergences[0]).toMatchObject({ category: 'unmatched', path: '$.params.arguments.a' })
  expect(report.divergences[0]?.message).toContain('tools/call add')
  const refused = JSON.parse(/\{.*-32080.*\}/.exec(stdout)?.[0] ?? 'null')
  expect(refused).toMatchObject({
    jsonrpc: '2.0',
    id: 2,
    error: { code: -32080, data: { code: 'replay-diverged', path: '$.params.arguments.a' } },
  })
  expect(refused.error.message).toContain('differs at $.params.arguments.a')
}

test('a notification that is not on the tape is refused as a whole', async () => {
  const program = await recorded(client('json'))
  program.change(
    client('json', {
      extra: `say(await post({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: 1 } }))`,
    }),
  )
  const { code, stdout, report } = await program.replay()
  expect(code).toBe(2)
  expect(stdout).toMatch(/^400 \d+ \{"jsonrpc":"2.0","id":null,"error":\{"code":-32080,/m)
  expect(report.divergences[0]?.message).toContain('notifications/progress')
})

test('JSON-RPC of another protocol stays with the network', async () => {
  const source = `console.log(await (await fetch(process.env.MCP_SERVER + '/json', { method: 'POST', body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_call' }) })).text())`
  const program = await recorded(source)
  expect(kindsOf(program.tape, 'mcp_json_rpc')).toEqual([])
  expect((await program.replay()).report.verdict).toBe('faithful')
})

const overStream = (a: number): string => `
const stream = await fetch(process.env.MCP_SERVER + '/sse', { headers: { accept: 'text/event-stream' } })
let text = ''
const waiting = []
;(async () => {
  for await (const chunk of stream.body) {
    text += Buffer.from(chunk).toString()
    for (const wake of waiting.splice(0)) wake()
  }
})().catch(() => undefined)
const until = async (pattern) => {
  while (!pattern.test(text)) await new Promise((resolve) => waiting.push(resolve))
  return pattern.exec(text)[0]
}
const [, path] = /data: (\\S+)/.exec(await until(/event: endpoint\\ndata: \\S+\\n\\n/))
const post = (message) => fetch(process.env.MCP_SERVER + path, { method: 'POST', body: JSON.stringify(message) })
console.log((await post({ jsonrpc: '2.0', id: 'one', method: 'tools/call', params: { name: 'add', arguments: { a: ${a} } } })).status)
console.log(await until(/data: .*"id":"one".*\\n/))
process.exit(0)
`

test('over the older pair of a stream and an address the error comes over the stream', async () => {
  const program = await recorded(overStream(1))
  expect((await program.replay()).report).toMatchObject({ verdict: 'faithful' })
  program.change(overStream(2))
  const { code, stdout, report } = await program.replay()
  expect(code).toBe(2)
  expect(stdout).toMatch(
    /^202\ndata: \{"jsonrpc":"2.0","id":"one","error":\{"code":-32080,.*differs at \$\.params\.arguments\.a/,
  )
  expect(report.divergences[0]).toMatchObject({ category: 'unmatched', path: '$.params.arguments.a' })
})

test('what the tape says of the calls holds no secret', async () => {
  const source = client('json').replace(
    "name: 'add'",
    "name: 'add', api_key: 'sk-proj-4fJq8Zx1RkT7wYb2Nc9Lm3Vd6Gh5Ps0AeXuQ'",
  )
  const program = await recorded(source)
  expect(readFileSync(program.tape, 'utf8')).not.toContain('4fJq8Zx1RkT7wYb2Nc9L')
  expect((await program.replay()).report.verdict).toBe('faithful')
})
