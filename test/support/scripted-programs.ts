/**
 * Programs for the session itself, without a boundary: they start effects, and in a recording deliver the
 * outcomes. They ignore what they receive, so nothing but the judge can notice a wrong delivery.
 */
import { expect } from 'vitest'
import { type Label, label } from '../../src/base/index.ts'
import { outside } from '../../src/boundaries/context.ts'
import type { Http2Frame } from '../../src/boundaries/http2-frame.ts'
import type {
  Answer,
  Effect,
  EffectOptions,
  HttpHead,
  IncomingRequest,
  Outcome,
  Session,
} from '../../src/boundaries/session.ts'

export type Program = (session: Session) => Promise<void>

const turns = (count: number): Promise<void> =>
  new Promise((resolve) => {
    const turn = (left: number): void => void (left === 0 ? resolve() : setImmediate(turn, left - 1))
    outside(() => turn(count))
  })

/**
 * Starts an effect, and in a recording delivers these outcomes, each in a turn of its own. The program
 * ignores what it receives.
 */
async function run(
  session: Session,
  boundary: Label,
  key: string,
  outcomes: readonly Outcome[],
  options: EffectOptions = {},
): Promise<void> {
  let received = 0
  const count = (): void => {
    received += 1
  }
  const effect: Effect = session.start(boundary, key, count, options)
  for (const outcome of outcomes) {
    if (effect.isLive || options.real === true) effect.arrive(outcome)
    await turns(4)
  }
  if (effect.isLive) expect(received).toBe(outcomes.length)
  effect.close()
}

export const bytes = (text: string): Uint8Array => Buffer.from(text)
const chunk = (text: string, stream?: Label): Outcome => ({
  type: 'chunk',
  bytes: bytes(text),
  ...(stream === undefined ? {} : { stream }),
})
const end = (stream?: Label): Outcome => ({
  type: 'end',
  trailers: [],
  ...(stream === undefined ? {} : { stream }),
})
export const HEAD: HttpHead = {
  type: 'head',
  status: 200,
  statusText: 'OK',
  headers: [
    ['content-type', 'text/plain'],
    ['x-served-by', 'a'],
  ],
}
export const REFUSED: Outcome = {
  type: 'error',
  error: { constructorName: 'Error', name: 'Error', message: 'refused', code: 'ECONNREFUSED' },
}

const request = (path: string) => ({
  request: { method: 'GET', url: `http://service.test${path}`, headers: [], body: null },
})
const network = label('network')
export const fetched: Program = (session) =>
  run(session, network, 'GET', [HEAD, chunk('first '), chunk('second '), end()], request('/a'))
export const cut: Program = (session) =>
  run(session, network, 'GET', [HEAD, chunk('only'), REFUSED], request('/cut'))
export const unreached: Program = (session) => run(session, network, 'GET', [REFUSED], request('/none'))

/** Sends bytes as well, and has a moment at which a slow peer has taken them. */
export const connected: Program = async (session) => {
  const outcomes = [chunk('first '), chunk('second '), { type: 'completion' }, end()] as const
  const effect = session.start(network, 'socket tcp://127.0.0.1:1', () => undefined, { byteStream: true })
  effect.sender?.send(bytes('hello '))
  for (const outcome of outcomes) {
    if (effect.isLive) effect.arrive(outcome)
    await turns(4)
  }
  effect.close()
}
export const reset: Program = (session) =>
  run(session, network, 'socket tcp://127.0.0.1:2', [chunk('half of'), REFUSED], { byteStream: true })
const listening = { server: 'listening' } as const
export const listened: Program = (session) =>
  run(session, network, 'listen', [chunk('{"listening":{"port":1}}'), chunk('{"connection":{}}')], listening)
export const taken: Program = (session) => run(session, network, 'listen', [REFUSED], listening)

export const REQUEST: IncomingRequest = {
  type: 'request',
  method: 'POST',
  target: '/a',
  headers: [
    ['host', 'a'],
    ['content-length', '13'],
  ],
}
const accepted = { server: 'connection' } as const
export const served: Program = (session) =>
  run(
    session,
    network,
    'connection 1',
    [REQUEST, chunk('first '), chunk('second '), end(), REQUEST, end(), end()],
    accepted,
  )
export const servedWhole: Program = (session) =>
  run(session, network, 'connection 1', [{ ...REQUEST, body: bytes('first second ') }, end()], accepted)
export const servedBytes: Program = (session) =>
  run(session, network, 'connection 1', [chunk('first '), chunk('second '), REFUSED], accepted)

const message = (text: string): Outcome => ({
  type: 'ws_message',
  message: label('text'),
  bytes: bytes(text),
})
export const chatted: Program = async (session) => {
  const outcomes = [message('first'), message('second'), end()] as const
  const effect = session.start(network, 'websocket ws://127.0.0.1:1/', () => undefined, { byteStream: true })
  effect.sender?.sendMessage({ type: 'ws_message', message: label('text'), bytes: bytes('hello') })
  for (const outcome of outcomes) {
    if (effect.isLive) effect.arrive(outcome)
    await turns(4)
  }
  effect.close()
}

export const servedSlowly: Program = async (session) => {
  const effect = session.start(network, 'connection 1', () => undefined, accepted)
  for (const outcome of [{ ...REQUEST, body: bytes('') }, { type: 'completion' }, end()] as const) {
    if (outcome.type === 'completion') effect.served?.waitForClient()
    if (effect.isLive) effect.arrive(outcome)
    await turns(4)
  }
  effect.close()
}
export const servedChat: Program = async (session) => {
  const outcomes = [{ ...REQUEST, body: bytes('') }, message('first'), message('second'), end()] as const
  const effect = session.start(network, 'connection 1', () => undefined, accepted)
  effect.served?.sendMessage({ type: 'ws_message', message: label('text'), bytes: bytes('hello') })
  for (const outcome of outcomes) {
    if (effect.isLive) effect.arrive(outcome)
    await turns(4)
  }
  effect.close()
}

/** A connection of HTTP/2: one stream with data and trailers, and the end of the connection. */
export const framed: Program = async (session) => {
  const frames: readonly Http2Frame[] = [
    { frame: 'settings', settings: [[3, 100]], ack: false },
    { frame: 'headers', stream: 1, headers: [[':status', '200']], sensitive: [], ends: false },
    { frame: 'data', stream: 1, bytes: bytes('first '), ends: false },
    { frame: 'headers', stream: 1, headers: [['grpc-status', '0']], sensitive: [], ends: true },
    { frame: 'goaway', last: 1, code: 0, bytes: bytes('bye') },
  ]
  const effect = session.start(network, 'http2 http://127.0.0.1:1', () => undefined, { http2: true })
  const headers = [[':path', '/']] as const
  effect.frames?.send({ frame: 'headers', stream: 1, headers, sensitive: [], ends: true })
  for (const outcome of [...frames.map((frame) => ({ type: 'http2', frame }) as const), end()]) {
    if (effect.isLive) effect.arrive(outcome)
    await turns(4)
  }
  effect.close()
}

const stdout = label('stdout')
export const stderr = label('stderr')
const child = {
  program: '/bin/tool',
  args: ['tool', '-v'],
  cwd: null,
  env: {},
  stdio: ['pipe', 'pipe', 'pipe'],
  options: {},
  pid: 77,
  errno: 0,
}
const EXIT: Outcome = { type: 'exit', code: 3, signal: null }
export const spawned: Program = (session) =>
  run(
    session,
    label('process'),
    'tool',
    [
      chunk('one\n', stdout),
      chunk('two\n', stdout),
      chunk('warning\n', stderr),
      end(stdout),
      end(stderr),
      EXIT,
    ],
    {
      child,
    },
  )

const facts = {
  program: 'bash',
  args: [],
  cwd: null,
  term: 'xterm',
  cols: 80,
  rows: 24,
  start: { env: {}, options: {} },
}
export const painted: Program = (session) =>
  run(
    session,
    label('terminal'),
    'bash',
    [chunk('$ ls\r\n'), chunk('a  b\r\n'), { type: 'terminal_exit', exitCode: 1, signal: 0 }],
    {
      terminal: facts,
    },
  )

export const timers: Program = async (session) => {
  await run(session, label('clock'), 'setTimeout 1', [{ type: 'timer' }])
  await run(session, label('clock'), 'setTimeout 2', [{ type: 'timer' }])
}
export const work: Program = async (session) => {
  await run(session, label('offthread'), 'gzip', [{ type: 'completion' }], { real: true })
  await run(session, label('offthread'), 'scrypt', [{ type: 'completion' }], { real: true })
}
export const typed: Program = (session) =>
  run(session, label('stdio'), 'process.stdin', [chunk('yes\n'), chunk('no\n'), end()])

const filesystem = label('filesystem')
export const FILE: Answer = { type: 'file_read', path: 'notes.txt', bytes: bytes('remember') }
const STAT: Answer = {
  type: 'fs_call',
  call: label('stat'),
  path: 'notes.txt',
  result: { size: 8 },
  error: null,
}
const ABSENT: Answer = {
  type: 'fs_call',
  call: label('stat'),
  path: 'gone.txt',
  result: null,
  error: { constructorName: 'Error', name: 'Error', message: 'ENOENT: no such file', code: 'ENOENT' },
}
const PRINTED: Answer = {
  type: 'process_spawn',
  program: '/bin/date',
  args: ['date'],
  cwd: null,
  exitCode: 0,
  durationMs: 4,
  stdout: bytes('Monday'),
  stderr: bytes('late'),
}
export const filesLater: Program = async (session) => {
  await run(session, filesystem, 'readFile notes.txt', [FILE])
  await run(session, filesystem, 'stat notes.txt', [STAT])
  await run(session, filesystem, 'stat gone.txt', [ABSENT])
}
export const filesNow: Program = async (session) => {
  session.answer(filesystem, 'readFile notes.txt', () => FILE)
  session.answer(filesystem, 'stat notes.txt', () => STAT)
  session.answer(filesystem, 'stat gone.txt', () => ABSENT)
}
export const spawnedNow: Program = async (session) => {
  const start = { ...child, program: '/bin/date', args: ['date'] }
  session.answer(label('process'), 'date', () => PRINTED, undefined, start)
}
export const reads: Program = async (session) => {
  session.readClock(label('Date.now'), 'wall', () => ({ unit: 'ms', value: 1_700_000_000_000 }))
  session.readRandom(label('Math.random'), () => bytes('12345678'), 8)
  session.readFact(label('process.env'), 'LANG', () => 'C')
}
