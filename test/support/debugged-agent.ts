/**
 * An agent with a model, an MCP server, files and a subprocess, as an ES module, as CommonJS and in TypeScript,
 * recorded on a given Node for `reprise debug`.
 */
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { listening } from './listening.ts'
import { runChild } from './run-child.ts'
import { tempFolder } from './temp-folder.ts'

const bin = fileURLToPath(new URL('../../bin/reprise.js', import.meta.url))
const tsx = fileURLToPath(new URL('../../node_modules/tsx', import.meta.url))

export type Form = 'esm' | 'commonjs' | 'tsx'

const SERVER = `
import readline from 'node:readline'
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n')
readline.createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line)
  if (method === 'initialize') send({ id, result: { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'sums', version: '1' } } })
  if (method === 'tools/call') send({ id, result: { content: [{ type: 'text', text: String(params.arguments.a + params.arguments.b) }] } })
})
`

/** \`T(…)\` is a type: only in TypeScript. Types take lines of their own, so that a map is needed. */
const BODY = `
const started = Date.now()
const dice = Math.random()
const plan = readFileSync('plan.txt', 'utf8').trim()
const server = spawn(process.execPath, ['server.mjs'], { stdio: ['pipe', 'pipe', 'inherit'] })
const waiting = new Map()
readline.createInterface({ input: server.stdout }).on('line', (line) => {
  const { id, result } = JSON.parse(line)
  waiting.get(id)(result)
})
const call = (id#: number#, method#: string#, params#: object#) => new Promise#<any>#((resolve) => {
  waiting.set(id, resolve)
  server.stdin.write(JSON.stringify({ jsonrpc: '2.0', id, method, params }) + '\\n')
})
await call(1, 'initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'agent', version: '1' } })
const seen = { started, dice, plan, first: '', sum: '', readFileSync, execFileSync }
async function ask(question#: string#) {
  if (seen.plan === '') return ''
  const response = await fetch(process.env.MODEL_URL + '/v1/chat/completions', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: question }] }),
    signal: AbortSignal.timeout(3000),
  })
  const status = response.status
  await fetch(process.env.MODEL_URL + '/go')
  const { choices } = await response.json()
  return status + ' ' + choices[0].message.content
}
seen.first = await ask(plan)
seen.sum = (await call(2, 'tools/call', { name: 'add', arguments: { a: 2, b: 3 } })).content[0].text
const echoed = execFileSync('echo', [seen.first]).toString().trim()
writeFileSync('notes.txt', echoed)
const second = await ask(echoed + ' and ' + seen.sum)
server.stdin.end()
console.log(JSON.stringify([started, dice, plan, seen.first, seen.sum, second, Date.now() - started < 100000]))
`

const MODULES: readonly [names: string, module: string][] = [
  ['{ execFileSync, spawn }', 'node:child_process'],
  ['{ readFileSync, writeFileSync }', 'node:fs'],
  ['readline', 'node:readline'],
]

const typed = (text: string): string => text.replaceAll('#', '')
const untyped = (text: string): string => text.replaceAll(/#[^#]*#/g, '')

const sources: { readonly [form in Form]: readonly [file: string, source: string] } = {
  esm: ['agent.mjs', `${imports('import', ' from ')}${untyped(BODY)}`],
  commonjs: [
    'agent.cjs',
    `${MODULES.map(([names, module]) => `const ${names} = require('${module}')\n`).join('')}async function main() {${untyped(BODY)}}\nmain()\n`,
  ],
  tsx: [
    'agent.ts',
    `${imports('import', ' from ')}
interface Unused {
  readonly first: string
  readonly second: number
}
type Other = { readonly [name in keyof Unused]: string }
export type { Other }
${typed(BODY)}`,
  ],
}

function imports(word: string, from: string): string {
  return MODULES.map(([names, module]) => `${word} ${names}${from}'${module}'\n`).join('')
}

export type DebuggedAgent = {
  readonly folder: string
  readonly tape: string
  readonly node: string
  readonly stdout: string
  /** What the program printed: its variables in the order of the source. */
  readonly values: readonly unknown[]
  readonly file: string
  /** The line of the source (from 1) that contains `text`. */
  lineOf(text: string): number
  /** The numbers of all records of a kind. */
  seqs(kind: string): readonly number[]
}

export async function recordDebuggedAgent(node: string, form: Form): Promise<DebuggedAgent> {
  const folder = join(tempFolder(), 'debugged')
  mkdirSync(join(folder, 'node_modules'), { recursive: true })
  symlinkSync(tsx, join(folder, 'node_modules/tsx'))
  const [file, source] = sources[form]
  writeFileSync(join(folder, file), source)
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  writeFileSync(join(folder, 'server.mjs'), SERVER)
  writeFileSync(join(folder, 'plan.txt'), 'the plan\n')
  let calls = 0
  let sendBody = (): void => undefined
  const model = createServer((request, response) => {
    request.resume().on('end', () => {
      if (request.url === '/go') {
        response.end()
        return sendBody()
      }
      calls += 1
      const message = { role: 'assistant', content: `answer ${calls}` }
      const choices = [{ index: 0, finish_reason: 'stop', message }]
      response.setHeader('content-type', 'application/json')
      response.flushHeaders()
      // The agent asks for it, so that it has run between the head and the body.
      sendBody = () =>
        void response.end(JSON.stringify({ id: 'x', object: 'chat.completion', model: 'm', choices }))
    })
  })
  const { url, stop } = await listening(model)
  const tape = join(folder, 'run.tape')
  const loader = form === 'tsx' ? ['--import', 'tsx'] : []
  const words = [bin, 'record', '--quiet', '--force', '--out', tape, '--', node, ...loader, file]
  const record = () => runChild(node, words, { cwd: folder, env: { ...process.env, MODEL_URL: url } })
  let recorded = await record()
  // On a busy machine a call may take longer than the timeout of the agent: that is another run.
  for (let more = 4; more > 0 && recorded.stderr.includes('TimeoutError'); more -= 1) {
    calls = 0
    recorded = await record()
  }
  await stop()
  if (recorded.code !== 0) throw new Error(recorded.stderr)
  const records = readFileSync(tape, 'utf8')
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line): { seq: number; kind: { kind: string } } => JSON.parse(line))
  return {
    folder,
    tape,
    node,
    stdout: recorded.stdout,
    values: JSON.parse(recorded.stdout),
    file,
    lineOf(text) {
      const line = source.split('\n').findIndex((each) => each.includes(text))
      if (line < 0) throw new Error(`no ${text} in the source`)
      return line + 1
    },
    seqs: (kind) => records.filter((record) => record.kind.kind === kind).map(({ seq }) => seq),
  }
}
