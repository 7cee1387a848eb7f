/**
 * What recording and replaying a request costs: 1,000 requests one after another to a local server, plain, with
 * Reprise and with its peers. The same program for all: Node's own `fetch`, one request under way at a time,
 * the same answers parsed as JSON.
 *
 * Each candidate is a process of its own; they take turns. What decides is processor time. A run of 50 requests
 * is taken off, so that starting and warming up are not in the figure; the end is, at which most peers write.
 * Reprise writes as it goes, twice per request. The server answers at once, which is the worst case, or takes
 * 50 ms; there the wall decides.
 *
 * Decision 0205.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { verdict } from './measure.ts'
import { type Command, inMode, type Medians, takeTurns } from './support/process-time.ts'

const peers = fileURLToPath(new URL('./peers/record/', import.meta.url))
const ROUNDS = 5
const SIZE = 50
const BLOCKS = 20
const PEERS = ['nock', 'polly', 'snapshot-agent'] as const
const UNIT = 'µs of processor time'

export async function bench(): Promise<void> {
  if (!existsSync(join(peers, 'node_modules/nock'))) install()
  const folder = mkdtempSync(join(tmpdir(), 'reprise-bench-'))
  try {
    await benchFetch(folder)
    await benchNodeHttp(folder)
    await benchSlow(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

type Candidate = {
  readonly name: string
  readonly mode: 'plain' | 'record' | 'replay'
  readonly script: string
  readonly isReprise: boolean
}

async function benchFetch(folder: string): Promise<void> {
  const server = await startServer(0)
  const recorders = (mode: 'record' | 'replay'): Candidate[] => [
    { name: 'reprise', mode, script: 'plain', isReprise: true },
    ...PEERS.map((name) => ({ name, mode, script: name, isReprise: false })),
  ]
  const plain: Candidate = { name: 'plain', mode: 'plain', script: 'plain', isReprise: false }
  const record = await perRequest(folder, [plain, ...recorders('record')], server.url)
  const replay = await perRequest(folder, recorders('replay'), server.url)
  await server.stop()
  const peersOf = (times: Readonly<Record<string, number>>): Record<string, number> =>
    Object.fromEntries(PEERS.map((name) => [name, times[name] ?? Number.NaN]))
  const [ours = Number.NaN, floor = Number.NaN] = [record.reprise, record.plain]
  verdict('recording a fetch, instant answer, against plain', ours / floor, 1.25, 'at most', {
    ours,
    floor,
    unit: UNIT,
    peers: peersOf(record),
    why: 'Of what a request adds, a quarter is V8 optimising code, a tenth garbage collection. Each writes its lines before its tick ends; undici runs twice as often through the event loop.',
  })
  for (const name of PEERS)
    verdict(`recording a fetch, ${name} against ours`, (record[name] ?? 0) / ours, 1, 'at least', {
      ours,
      unit: UNIT,
      peers: { [name]: record[name] ?? Number.NaN },
      why: 'That peer keeps all in memory and writes at the end; ours is on the disk after each tick.',
    })
  const replayed = replay.reprise ?? Number.NaN
  for (const name of PEERS)
    verdict(`replaying a fetch, ${name} against ours`, (replay[name] ?? 0) / replayed, 1, 'at least', {
      ours: replayed,
      unit: UNIT,
      peers: { [name]: replay[name] ?? Number.NaN },
      why: 'A replay also makes its second recording and compares it, record by record.',
    })
}

/** The other way to the network: a keep-alive agent of `node:http`. */
async function benchNodeHttp(folder: string): Promise<void> {
  const server = await startServer(0)
  const times = await perRequest(
    folder,
    [
      { name: 'plain', mode: 'plain', script: 'node-http', isReprise: false },
      { name: 'reprise', mode: 'record', script: 'node-http', isReprise: true },
    ],
    server.url,
  )
  await server.stop()
  const [ours = Number.NaN, floor = Number.NaN] = [times.reprise, times.plain]
  verdict('recording node:http, instant answer, against plain', ours / floor, 1.5, 'at most', {
    ours,
    floor,
    unit: UNIT,
    why: 'Messages are parsed by our own parser, a second time after that of Node.',
  })
}

async function benchSlow(folder: string): Promise<void> {
  const server = await startServer(50)
  const modes = (blocks: number): Record<'plain' | 'record', Command> => ({
    plain: command(
      folder,
      { name: 'plain', mode: 'plain', script: 'plain', isReprise: false },
      server.url,
      blocks,
    ),
    record: command(
      folder,
      { name: 'slow', mode: 'record', script: 'plain', isReprise: true },
      server.url,
      blocks,
    ),
  })
  const whole = await takeTurns(modes(1), 3)
  const start = await takeTurns(modes(0), 3)
  await server.stop()
  const wall = (mode: 'plain' | 'record'): number => (whole[mode].wallMs - start[mode].wallMs) / SIZE
  verdict(
    'recording a fetch, 50 ms a call, against plain, wall',
    wall('record') / wall('plain'),
    1.05,
    'at most',
    {
      ours: wall('record'),
      floor: wall('plain'),
      unit: 'ms',
    },
  )
}

/** Microseconds of processor time per request, by name. */
async function perRequest(
  folder: string,
  candidates: readonly Candidate[],
  url: string,
): Promise<Readonly<Record<string, number>>> {
  const commands = Object.fromEntries(
    candidates.flatMap((candidate) => [
      [candidate.name, command(folder, candidate, url, BLOCKS)],
      [`${candidate.name} start`, command(folder, candidate, url, 0)],
    ]),
  )
  const times: Readonly<Record<string, Medians>> = await takeTurns(commands, ROUNDS)
  return Object.fromEntries(
    candidates.map(({ name }) => {
      const cpuMs = (times[name]?.cpuMs ?? Number.NaN) - (times[`${name} start`]?.cpuMs ?? Number.NaN)
      return [name, (cpuMs * 1000) / (BLOCKS * SIZE)]
    }),
  )
}

/** A replay needs the recording with the same number of blocks: the name of its file contains that number. */
function command(
  folder: string,
  { name, mode, script, isReprise }: Candidate,
  url: string,
  blocks: number,
): Command {
  const file = join(folder, `${name}-${script}-${blocks}`)
  const before = (): void => {
    if (mode === 'record')
      for (const path of [file, `${file}.cas`]) rmSync(path, { recursive: true, force: true })
  }
  const env = {
    BENCH_SERVER: url,
    BENCH_BLOCKS: String(blocks),
    BENCH_SIZE: String(SIZE),
    BENCH_MODE: mode,
    BENCH_FILE: file,
  }
  return inMode(isReprise ? mode : 'plain', ['--no-warnings', join(peers, `${script}.mjs`)], {
    cwd: peers,
    env,
    tape: file,
    before,
  })
}

async function startServer(delayMs: number): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const answer = JSON.stringify({ ok: true, text: 'x'.repeat(1000) })
  const server = createServer((_request, response) => {
    const send = (): void => void response.writeHead(200, { 'content-type': 'application/json' }).end(answer)
    if (delayMs === 0) send()
    else setTimeout(send, delayMs)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const stop = (): Promise<void> =>
    new Promise((resolve) => {
      server.closeAllConnections()
      server.close(() => resolve())
    })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, stop }
}

function install(): void {
  console.log('installing the peers of this benchmark')
  const { status } = spawnSync('npm', ['install', '--no-audit', '--no-fund', '--no-package-lock'], {
    cwd: peers,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  if (status !== 0) throw new Error('the peers could not be installed')
}
