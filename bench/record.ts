/**
 * What recording and replaying cost: 1,000 requests one after another to a local server, plain, with Reprise
 * and with its peers. The same program for all: Node's own `fetch`, one request under way at a time, the same
 * answers parsed as JSON.
 *
 * Each candidate is a process of its own; they take turns in rounds, in an order that moves on by one each
 * round. Blocks of 50 are timed from outside, with their share of the end, at which most peers write;
 * starting, and a first block for warming up, are not in the figure; medians decide. Reprise writes as it
 * goes, twice per request, SnapshotAgent, Polly and nock when they are told to, at the end: once each. The
 * server answers at once, which is the worst case, or takes 50 ms. See docs/decisions/0205.
 *
 * Decision 0205.
 */
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { median, verdict } from './measure.ts'

const peers = fileURLToPath(new URL('./peers/record/', import.meta.url))
const register = new URL('../dist/entry/register.js', import.meta.url).href
const ROUNDS = 3
const PEERS = ['nock', 'polly', 'snapshot-agent'] as const

export async function bench(): Promise<void> {
  if (!existsSync(join(peers, 'node_modules/nock'))) install()
  const folder = mkdtempSync(join(tmpdir(), 'reprise-bench-'))
  // It doubles the start of Node 20, and would hide what the start of Reprise costs.
  delete process.env.NODE_EXTRA_CA_CERTS
  console.log(`load of the machine: ${loadavg()[0]?.toFixed(1)}`)
  try {
    await benchInstant(folder)
    await benchNodeHttp(folder)
    await benchSlow(folder)
    benchStart(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

type Candidate = {
  readonly name: string
  readonly mode: 'plain' | 'record' | 'replay'
  readonly script: string
  readonly reprise: boolean
}
type Load = { readonly url: string; readonly blocks: number; readonly size: number }

/** 1,000 requests of each process, in blocks of 50. */
async function benchInstant(folder: string): Promise<void> {
  const server = await startServer(0)
  const load: Load = { url: server.url, blocks: 20, size: 50 }
  const recorders = (mode: 'record' | 'replay'): Candidate[] => [
    { name: 'reprise', mode, script: 'plain', reprise: true },
    ...PEERS.map((name) => ({ name, mode, script: name, reprise: false })),
  ]
  const plain: Candidate = { name: 'plain', mode: 'plain', script: 'plain', reprise: false }
  const record = await rounds(folder, [plain, ...recorders('record')], load)
  const replay = await rounds(folder, recorders('replay'), load)
  await server.stop()
  const per = (times: ReadonlyMap<string, number>, name: string): number =>
    (times.get(name) ?? Number.NaN) / load.size
  print('recording, instant answers, ms per request', record, load.size)
  print('replaying, ms per request', replay, load.size)
  verdict('recording against plain (aim 1.2)', per(record, 'reprise') / per(record, 'plain'), 1.5, 'at most')
  for (const name of PEERS)
    verdict(`recording against ${name}`, per(record, name) / per(record, 'reprise'), 1, 'at least')
  for (const name of PEERS)
    verdict(`replaying against ${name}`, per(replay, name) / per(replay, 'reprise'), 1, 'at least')
}

/** The other way to the network: a keep-alive agent of `node:http`. */
async function benchNodeHttp(folder: string): Promise<void> {
  const server = await startServer(0)
  const load: Load = { url: server.url, blocks: 20, size: 50 }
  const times = await rounds(
    folder,
    [
      { name: 'plain node:http', mode: 'plain', script: 'node-http', reprise: false },
      { name: 'reprise node:http', mode: 'record', script: 'node-http', reprise: true },
    ],
    load,
  )
  await server.stop()
  print('recording node:http, instant answers, ms per request', times, load.size)
  verdict(
    'recording node:http against plain',
    (times.get('reprise node:http') ?? Number.NaN) / (times.get('plain node:http') ?? Number.NaN),
    1.5,
    'at most',
  )
}

async function benchSlow(folder: string): Promise<void> {
  const server = await startServer(50)
  const times = await rounds(
    folder,
    [
      { name: 'plain', mode: 'plain', script: 'plain', reprise: false },
      { name: 'reprise', mode: 'record', script: 'plain', reprise: true },
    ],
    { url: server.url, blocks: 4, size: 5 },
  )
  await server.stop()
  print('recording, a server that takes 50 ms, ms per request', times, 5)
  verdict(
    'recording against plain, 50 ms',
    (times.get('reprise') ?? Number.NaN) / (times.get('plain') ?? Number.NaN),
    1.05,
    'at most',
  )
}

function benchStart(folder: string): void {
  const samples = { bare: [] as number[], idle: [] as number[], record: [] as number[] }
  const time = (args: readonly string[], env: Readonly<Record<string, string>> = {}): number => {
    const start = performance.now()
    const { status } = spawnSync(process.execPath, [...args, '-e', '0'], { env: { ...process.env, ...env } })
    if (status !== 0) throw new Error('a start failed')
    return performance.now() - start
  }
  for (let round = 0; round < 15; round += 1) {
    samples.bare.push(time([]))
    samples.idle.push(time(['--import', register]))
    samples.record.push(
      time(['--import', register], {
        REPRISE_MODE: 'record',
        REPRISE_TAPE: join(folder, `start-${round}.tape`),
      }),
    )
  }
  const [bare, idle, record] = [median(samples.bare), median(samples.idle), median(samples.record)]
  console.log(
    `start-up, ms: bare ${bare.toFixed(1)}, registered and idle ${idle.toFixed(1)}, recording ${record.toFixed(1)}`,
  )
  verdict('start-up with register, idle', idle / bare, 2, 'at most')
  verdict('start-up with register, recording', record / bare, 2, 'at most')
}

/** Median milliseconds per block, by name. */
async function rounds(
  folder: string,
  candidates: readonly Candidate[],
  load: Load,
): Promise<ReadonlyMap<string, number>> {
  const times = new Map<string, number[]>(candidates.map(({ name }) => [name, []]))
  for (let round = 0; round < ROUNDS; round += 1) {
    // Whoever comes after a heavy one must not always be the same.
    const inTurn = [
      ...candidates.slice(round % candidates.length),
      ...candidates.slice(0, round % candidates.length),
    ]
    for (const candidate of inTurn)
      times.get(candidate.name)?.push(...(await blocksOf(folder, candidate, load, round)))
  }
  return new Map([...times].map(([name, samples]) => [name, median(samples)]))
}

/** Runs one process to its end and times the dots that it says. */
async function blocksOf(
  folder: string,
  { name, mode, script, reprise }: Candidate,
  load: Load,
  round: number,
): Promise<number[]> {
  const file = join(folder, `${name.replaceAll(' ', '-')}-${load.size}-${mode === 'record' ? round : 0}`)
  const env = {
    ...process.env,
    BENCH_SERVER: load.url,
    BENCH_BLOCKS: String(load.blocks),
    BENCH_SIZE: String(load.size),
    BENCH_MODE: mode,
    BENCH_FILE: file,
    ...(reprise ? { REPRISE_MODE: mode, REPRISE_TAPE: file } : {}),
  }
  const child = spawn(
    process.execPath,
    ['--no-warnings', ...(reprise ? ['--import', register] : []), join(peers, `${script}.mjs`)],
    {
      cwd: peers,
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  const dots: number[] = []
  child.stdout.on('data', (data: Buffer) => {
    for (const _ of data) dots.push(performance.now())
  })
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve))
  if (code !== 0 || dots.length !== load.blocks + 1)
    throw new Error(`${name} did not ${mode}: exit code ${code}, ${dots.length} blocks`)
  // Most peers write their recording at the end: that counts, spread over the blocks.
  const last = (performance.now() - (dots.at(-1) ?? 0)) / load.blocks
  return dots.slice(1).map((at, index) => at - (dots[index] ?? at) + last)
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

function print(what: string, times: ReadonlyMap<string, number>, size: number): void {
  console.log(`${what}: ${[...times].map(([name, ms]) => `${name} ${(ms / size).toFixed(3)}`).join(', ')}`)
}
