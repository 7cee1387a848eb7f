/**
 * An MCP server over pipes, spoken to by hand: recorded, then replayed with the server's file gone and
 * nothing to start. Ids, progress tokens and the order of calls that are made at once are the client's own
 * and may change; params may not.
 */
import { copyFileSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Kind, type KindName, readTapeEvents } from '../../src/tape/index.ts'
import { reprise } from '../support/cli.ts'
import { type RecordedProgram, recordProgram } from '../support/recorded-program.ts'
import { tempFolder } from '../support/temp-folder.ts'

type Change = {
  readonly id?: (n: number) => string
  readonly a?: number
  readonly order?: readonly number[]
  readonly extra?: string
  readonly secret?: string
}

/** Prints every line that the server says, in order, and how it ended. */
const client = ({
  id = (n) => String(n),
  a = 5,
  order = [1, 2, 3],
  extra = '',
  secret = 'nothing',
}: Change = {}): string => `
import { spawn } from 'node:child_process'
const server = spawn(process.execPath, ['server.mjs'], { cwd: process.env.SERVER_FOLDER })
const waiting = new Map()
let rest = ''
server.stdout.setEncoding('utf8').on('data', (chunk) => {
  const lines = (rest + chunk).split('\\n')
  rest = lines.pop()
  for (const line of lines) {
    console.log(line)
    if (!line.startsWith('{') && !line.startsWith('[')) continue
    const message = JSON.parse(line)
    for (const each of Array.isArray(message) ? message : [message]) {
      if (each.method === 'sampling/createMessage') write({ jsonrpc: '2.0', id: each.id, result: { text: 'sampled' } })
      else waiting.get(each.id)?.(each)
    }
  }
})
server.stderr.on('data', (chunk) => console.error(String(chunk).trim()))
const write = (message) => server.stdin.write(JSON.stringify(message) + '\\n')
const call = (n, method, params) => {
  const ids = { ${[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12].map((n) => `${n}: ${id(n)}`).join(', ')} }
  return new Promise((resolve) => {
    waiting.set(ids[n], resolve)
    write({ jsonrpc: '2.0', id: ids[n], method, params })
  })
}
const tool = (n, name, args, meta) => call(n, 'tools/call', { name, arguments: args, ...meta })
await call(0, 'initialize', { protocolVersion: '2025-06-18', clientInfo: { name: 'by hand' } })
write({ jsonrpc: '2.0', method: 'notifications/initialized' })
await Promise.all([${order.join(', ')}].map((a) => tool(a, 'add', { a })))
await tool(4, 'add', { a: ${a}, password: '${secret}' })
await tool(5, 'slow', { a: 7 }, { _meta: { progressToken: ${id(5)} } })
await tool(6, 'ask', {})
write({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: ${id(6)} } })
await call(7, 'boom')
const both = Promise.all([${id(8)}, ${id(9)}].map((each) => new Promise((resolve) => waiting.set(each, resolve))))
write([{ jsonrpc: '2.0', id: ${id(8)}, method: 'ping' }, { jsonrpc: '2.0', id: ${id(9)}, method: 'ping' }, { jsonrpc: '2.0', method: 'notifications/x' }])
await both
// One line in two writes, two lines in one.
server.stdin.write('{"jsonrpc":"2.0","id":' + JSON.stringify(${id(10)}) + ',"method":"tools/call",')
const last = new Promise((resolve) => waiting.set(${id(10)}, resolve))
server.stdin.write('"params":{"name":"add","arguments":{"a":1.0}}}\\n' + JSON.stringify({ jsonrpc: '2.0', method: 'notifications/y' }) + '\\n')
await last
${extra}
server.stdin.end()
server.on('close', (code) => console.log('ended', code))
`

async function recorded(change: Change = {}): Promise<RecordedProgram> {
  const folder = tempFolder()
  copyFileSync(
    fileURLToPath(new URL('../fixtures/mcp-server-by-hand.mjs', import.meta.url)),
    join(folder, 'server.mjs'),
  )
  const program = await recordProgram(client(change), { SERVER_FOLDER: folder })
  rmSync(folder, { recursive: true })
  expect(program.recorded).toMatchObject({ code: 0, stderr: 'a word on stderr\n' })
  return program
}

const withoutPrograms = { env: { ...process.env, PATH: '' } }

const kindsOf = <N extends KindName>(tape: string, name: N): Kind<N>[] => {
  const isWanted = (kind: { readonly kind: string }): kind is Kind<N> => kind.kind === name
  return [...readTapeEvents(tape)].flatMap((event) =>
    event.type === 'record' && isWanted(event.record.kind) ? [event.record.kind] : [],
  )
}

describe('one recording, replayed without its server', () => {
  let program: RecordedProgram
  beforeAll(async () => {
    program = await recorded()
  })

  test('the same client gets the same lines, and the tape has each call and message once', async () => {
    program.change(client())
    const emitted = join(program.folder, 'again.tape')
    const { report, stdout, stderr } = await program.replay({
      ...withoutPrograms,
      args: ['--emit-tape', emitted],
    })
    expect(report).toMatchObject({ verdict: 'faithful', divergences: [], unused: [], gaps: [] })
    expect({ stdout, stderr }).toEqual({ stdout: program.recorded.stdout, stderr: program.recorded.stderr })
    expect(kindsOf(program.tape, 'mcp_json_rpc').map(({ server, method }) => `${server} ${method}`)).toEqual([
      'by hand initialize',
      ...Array<string>(6).fill('by hand tools/call'),
      'by hand boom',
      'by hand ping',
      'by hand ping',
      'by hand tools/call',
    ])
    const messages = kindsOf(program.tape, 'mcp_message').map(
      ({ direction, message }) =>
        `${direction} ${message.form === 'inline' ? (JSON.parse(message.text).method ?? 'an answer') : ''}`,
    )
    expect(messages).toEqual([
      'out notifications/initialized',
      'in notifications/progress',
      'in sampling/createMessage',
      'out an answer',
      'out notifications/cancelled',
      'out notifications/x',
      'out notifications/y',
    ])
    expect(kindsOf(program.tape, 'tape_seal')[0]?.boundaries).toMatchObject({
      mcp: 'captured',
      process: 'captured',
    })
    expect((await reprise(['fidelity', program.tape, emitted])).code).toBe(0)
  })

  const other = (n: number): string => `'call-${n}'`

  test("a client with other ids gets its own ids and tokens back in every line; the server's id stays", async () => {
    program.change(client({ id: other }))
    const { report, stdout } = await program.replay(withoutPrograms)
    expect(report.divergences.filter(({ category }) => category !== 'stdout')).toEqual([])
    const renamed = program.recorded.stdout
      .replaceAll(/"id":(\d+)/g, '"id":"call-$1"')
      .replaceAll(/"progressToken":(\d+)/g, '"progressToken":"call-$1"')
    expect(stdout).toBe(renamed)
  })

  test('calls made at once get their own answers, whatever their order', async () => {
    program.change(client({ order: [3, 1, 2] }))
    const { report, stdout } = await program.replay(withoutPrograms)
    expect(report.divergences).toEqual([])
    expect(stdout).toBe(program.recorded.stdout)
  })

  test('a call with other params is refused by its path, and everything else is unchanged', async () => {
    program.change(client({ a: 6 }))
    const { code, report, stdout } = await program.replay(withoutPrograms)
    expect(code).toBe(2)
    expect(report.verdict).toBe('diverged')
    expect(report.divergences[0]).toMatchObject({
      category: 'unmatched',
      path: '$.params.arguments.a',
      expected: 'tools/call add',
      actual: 'tools/call add',
    })
    expect(report.divergences[0]?.message).toContain('tools/call add')
    const refused = JSON.parse(/\{.*-32080.*\}/.exec(stdout)?.[0] ?? 'null')
    expect(refused).toMatchObject({
      jsonrpc: '2.0',
      id: 4,
      error: { code: -32080, data: { code: 'replay-diverged', path: '$.params.arguments.a' } },
    })
    // Everything else is as it was.
    const others = (text: string): string[] => text.split('\n').filter((line) => !line.includes('"id":4,'))
    expect(others(stdout)).toEqual(others(program.recorded.stdout))
  })

  test('a call and a notification that the tape does not have are divergences', async () => {
    program.change(
      client({
        extra: `await call(11, 'tools/list'); write({ jsonrpc: '2.0', method: 'notifications/z' }); server.stdin.write('no message\\n')`,
      }),
    )
    const { code, report, stdout } = await program.replay(withoutPrograms)
    expect(code).toBe(2)
    expect(stdout).toMatch(/^\{"jsonrpc":"2.0","id":11,"error":\{"code":-32080,/m)
    expect(report.divergences.map(({ actual }) => actual)).toEqual(
      expect.arrayContaining(['tools/list', 'notifications/z']),
    )
  })
})

test('a password among the arguments of a tool does not reach the tape, and another one matches', async () => {
  const program = await recorded({ secret: 'correct-horse-battery' })
  expect(readFileSync(program.tape, 'utf8')).not.toContain('correct-horse-battery')
  program.change(client({ secret: 'another-password-now' }))
  const { report, stdout } = await program.replay(withoutPrograms)
  expect(report).toMatchObject({ divergences: [], unused: [] })
  expect(stdout).toBe(program.recorded.stdout)
})

test('a subprocess that speaks JSON lines of another sort is no server', async () => {
  const source = `
import { spawn } from 'node:child_process'
const cat = spawn('cat')
cat.stdout.on('data', (chunk) => process.stdout.write(chunk))
cat.stdin.end('{"jsonrpc":"2.0","id":1,"method":"textDocument/hover"}\\n')
`
  const program = await recordProgram(source)
  expect(kindsOf(program.tape, 'mcp_json_rpc')).toEqual([])
  expect((await program.replay(withoutPrograms)).report).toMatchObject({ verdict: 'faithful' })
})
