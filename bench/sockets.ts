/**
 * What recording and replaying a connection costs: a query of `pg` to a real Postgres, a message over a WebSocket and
 * its answer, and a request to a server of the program. One after another, against plain Node.
 *
 * Each candidate is a process of its own; they take turns. Recording is judged by processor time, a replay by the
 * wall, against the run with its server on loopback. A run without any query is taken off.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import http from 'node:http'
import net, { type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { WebSocketServer } from 'ws'
import { startPostgres } from '../test/support/postgres.ts'
import { verdict } from './measure.ts'
import { type Command, inMode, type Medians, takeTurns } from './support/process-time.ts'

/** The first thousands of operations include V8 compiling the engine; a long run shows what one costs after that. */
const SIZES = [
  { count: 3000, rounds: 5, suffix: '' },
  { count: 30_000, rounds: 3, suffix: ', of 30,000' },
] as const
type Size = (typeof SIZES)[number]
const MODES = ['plain', 'least', 'record', 'replay'] as const
type Mode = (typeof MODES)[number]
/** What no recorder can save. */
const leastRecorder = fileURLToPath(new URL('./programs/least-recorder.cjs', import.meta.url))

type Subject = {
  readonly name: string
  readonly script: URL
  readonly env: Readonly<Record<string, string>>
  /** Why recording it costs more than the goal. */
  readonly why: string
  /** Its messages are in the frames of a WebSocket. */
  readonly hasFrames?: true
  /** Starts what the program needs from outside for this many operations. */
  client?(count: number): void
}

export async function bench(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'reprise-bench-'))
  const postgres = await startPostgres()
  const echo = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  echo.on('connection', (socket) => socket.on('message', (data) => socket.send(String(data))))
  try {
    const { port, password } = new URL(postgres.url)
    await measure(folder, {
      name: 'a pg query',
      script: new URL('./programs/sockets-pg.mjs', import.meta.url),
      env: { BENCH_PORT: port, BENCH_PASSWORD: password },
      why: 'Two chunks of bytes are scrubbed, recorded and written, each in its tick.',
    })
    await measure(folder, {
      name: 'a WebSocket message and its answer',
      script: new URL('./programs/sockets-ws.mjs', import.meta.url),
      env: { BENCH_PORT: String((echo.address() as AddressInfo).port) },
      hasFrames: true,
      why: 'Two messages are read out of their frames, scrubbed, recorded and written, each in its tick.',
    })
    const free = await freePort()
    const client = (count: number): void => void sendRequests(free, count)
    await measure(folder, {
      name: 'a served request',
      script: new URL('./programs/sockets-served.mjs', import.meta.url),
      env: { BENCH_PORT: String(free) },
      why: 'Request and answer are also parsed by our own parser in JavaScript, and V8 optimizes three times as many functions as in a plain run.',
      client,
    })
  } finally {
    for (const socket of echo.clients) socket.terminate()
    echo.close()
    await postgres.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function measure(folder: string, subject: Subject): Promise<void> {
  for (const size of SIZES) await measureSize(folder, subject, size)
}

async function measureSize(folder: string, subject: Subject, size: Size): Promise<void> {
  const { count, rounds, suffix } = size
  const commands = Object.fromEntries(
    [count, 1].flatMap((each) =>
      MODES.map((mode) => [`${mode} ${each}`, command(folder, subject, mode, each)] as const),
    ),
  )
  const times: Readonly<Record<string, Medians>> = await takeTurns(commands, rounds)
  const each = (mode: Mode, unit: keyof Medians): number =>
    (((times[`${mode} ${count}`]?.[unit] ?? Number.NaN) - (times[`${mode} 1`]?.[unit] ?? Number.NaN)) *
      1000) /
    (count - 1)
  const [ours, floor, least] = [each('record', 'cpuMs'), each('plain', 'cpuMs'), each('least', 'cpuMs')]
  verdict(`recording ${subject.name}${suffix}, against plain`, ours / floor, 1.5, 'at most', {
    ours,
    floor,
    unit: 'µs of processor time',
    peers: { 'least recorder': least },
    why: `${subject.why} The least recorder, which has no replay, no other boundary and one regular expression for secrets (bench/programs/least-recorder.cjs), takes ${(least / floor).toFixed(2)} of plain.`,
  })
  const [replayed, live] = [each('replay', 'wallMs'), each('plain', 'wallMs')]
  verdict(
    `replaying ${subject.name}${suffix}, against plain on loopback, wall`,
    replayed / live,
    1,
    'at most',
    {
      ours: replayed,
      floor: live,
      unit: 'µs',
      why: 'Each record is read, delivered in a turn of its own, made again and compared, and a server on loopback takes little time. The first thousands of operations cost most: V8 has to compile the engine.',
    },
  )
}

function command(folder: string, subject: Subject, mode: Mode, count: number): Command {
  const { script, env, client, hasFrames } = subject
  const program = fileURLToPath(script)
  const isLeast = mode === 'least'
  const tape = join(folder, `${basename(program)}-${count}${isLeast ? '.least' : ''}.tape`)
  const least = { LEAST_TAPE: tape, LEAST_FRAMES: hasFrames === true ? '1' : '0' }
  const args = ['--no-warnings', ...(isLeast ? ['--require', leastRecorder] : []), program]
  return inMode(isLeast ? 'plain' : mode, args, {
    tape,
    env: { ...env, BENCH_COUNT: String(count), ...(isLeast ? least : {}) },
    before() {
      if (mode === 'record')
        for (const path of [tape, `${tape}.cas`]) rmSync(path, { recursive: true, force: true })
      if (mode !== 'replay') client?.(count)
    },
  })
}

/** Waits for the server, then sends requests over one connection; the last one stops it. */
async function sendRequests(port: number, count: number): Promise<void> {
  while (!(await answers(port)));
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
  for (let n = 1; n <= count; n += 1) await post(agent, port, n === count ? '/stop' : '/ask')
  agent.destroy()
}

function post(agent: http.Agent, port: number, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = http.request({ agent, port, host: '127.0.0.1', path, method: 'POST' }, (answer) =>
      answer.resume().on('end', resolve),
    )
    request.on('error', reject).end('x'.repeat(200))
  })
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = net.connect(port, '127.0.0.1')
    probe.once('error', () => setTimeout(resolve, 5, false))
    probe.once('connect', () => {
      probe.destroy()
      resolve(true)
    })
  })
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = net.createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as AddressInfo
      probe.close(() => resolve(port))
    })
  })
}
