/**
 * What Reprise and its peers on npm do with the same small programs: each scenario is recorded, the server and
 * the file are taken away, and it is run again. `tsx scripts/compare/peers.ts` prints the table of
 * docs/comparison.md. Installs the peers into a temporary folder.
 */
import { spawn, spawnSync } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createServer, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const here = fileURLToPath(new URL('.', import.meta.url))
const benchmark = fileURLToPath(new URL('../../bench/peers/record/', import.meta.url))
const cli = fileURLToPath(new URL('../../bin/reprise.js', import.meta.url))
const SECRET = 'sk-proj-0aB1cD2eF3gH4iJ5kL6mN7oP8qR9sT0uV1wX2yZ3'
const PACKAGES = [
  'nock@14.0.9',
  '@pollyjs/core@6.0.6',
  '@pollyjs/adapter-fetch@6.0.7',
  '@pollyjs/adapter-node-http@6.0.6',
  '@pollyjs/persister-fs@6.0.6',
  'undici@7.30.2',
]
const PEERS = ['reprise', 'nock', 'polly', 'snapshot-agent'] as const
type Peer = (typeof PEERS)[number]

/** `same`: the second run prints what the first printed. `fails`: it exits with another code than 0. */
const scenarios: readonly { readonly name: string; readonly want: 'same' | 'fails' | 'clean' }[] = [
  { name: 'third answer of three equal requests', want: 'same' },
  { name: 'chunks of a stream', want: 'same' },
  { name: 'node:http', want: 'same' },
  { name: 'clock and randomness', want: 'same' },
  { name: 'a file and a subprocess', want: 'same' },
  { name: 'a changed request fails', want: 'fails' },
  { name: 'a request that is not made any more is reported', want: 'fails' },
  { name: 'no secret in the recording', want: 'clean' },
]

type Ended = { readonly code: number | null; readonly stdout: string }
export type Measured = { readonly scenario: string; readonly results: Readonly<Record<Peer, boolean>> }

export async function comparePeers(cache: string): Promise<Measured[]> {
  const folder = install(cache)
  const measured: Measured[] = []
  for (const { name, want } of scenarios) {
    const results = { reprise: false, nock: false, polly: false, 'snapshot-agent': false }
    for (const peer of PEERS) results[peer] = await tryScenario(peer, name, want, folder)
    measured.push({ scenario: name, results })
  }
  return measured
}

export function comparisonTable(measured: readonly Measured[]): string {
  const lines = [
    '| scenario | Reprise | nock 14.0 | Polly.JS 6.0 | undici SnapshotAgent 7.30 |',
    '|---|---|---|---|---|',
  ]
  for (const { scenario, results } of measured)
    lines.push(`| ${scenario} | ${PEERS.map((peer) => (results[peer] ? 'yes' : 'no')).join(' | ')} |`)
  return lines.join('\n')
}

async function tryScenario(peer: Peer, name: string, want: string, folder: string): Promise<boolean> {
  const place = mkdtempSync(join(tmpdir(), 'reprise-compare-'))
  const notes = join(place, 'notes.txt')
  writeFileSync(notes, 'forty-two\n')
  const server = await startServer()
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: place,
    SERVER: server.url,
    SCENARIO: name,
    NOTES: notes,
    API_KEY: SECRET,
    BENCH_FILE: join(place, 'recording'),
  }
  const first = await run(peer, 'record', folder, env)
  await server.stop()
  rmSync(notes)
  const agent = join(folder, 'work.mjs')
  const source = readFileSync(agent, 'utf8')
  if (want === 'fails') writeFileSync(agent, source.replace('CHANGED = false', 'CHANGED = true'))
  const second = await run(peer, 'replay', folder, env)
  writeFileSync(agent, source)
  const recording = contentOf(join(place, 'recording'))
  rmSync(place, { recursive: true, force: true })
  if (first.code !== 0 || (name === 'chunks of a stream' && first.stdout !== '[3,6,10]\n')) return false
  if (want === 'fails') return second.code !== 0
  if (want === 'clean') return recording !== '' && !recording.includes(SECRET) && second.code === 0
  return second.code === 0 && second.stdout === first.stdout
}

function run(
  peer: Peer,
  mode: 'record' | 'replay',
  cwd: string,
  env: Readonly<Record<string, string>>,
): Promise<Ended> {
  const script = peer === 'reprise' ? 'plain.mjs' : `${peer}.mjs`
  const tape = env.BENCH_FILE ?? ''
  const own =
    mode === 'record'
      ? ['record', '--quiet', '--out', tape, '--', 'node', script]
      : ['replay', tape, '--', 'node', script]
  const words = peer === 'reprise' ? [cli, ...own] : [script]
  return new Promise((resolve) => {
    const child = spawn(process.execPath, words, {
      cwd,
      env: { ...env, BENCH_MODE: mode },
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    let stdout = ''
    child.stdout.on('data', (part) => {
      stdout += String(part)
    })
    const limit = setTimeout(() => child.kill('SIGKILL'), 30_000)
    child.on('close', (code) => {
      clearTimeout(limit)
      resolve({ code, stdout })
    })
  })
}

function contentOf(path: string): string {
  if (!existsSync(path)) return ''
  if (statSync(path).isFile()) return readFileSync(path, 'latin1')
  return readdirSync(path)
    .map((name) => contentOf(join(path, name)))
    .join('\n')
}

function install(cache: string): string {
  const folder = join(cache, 'peers')
  if (!existsSync(join(folder, 'node_modules'))) {
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }')
    const { status, stderr } = spawnSync('npm', ['install', '--no-audit', '--no-fund', ...PACKAGES], {
      cwd: folder,
      encoding: 'utf8',
    })
    if (status !== 0) throw new Error(`the peers could not be installed: ${stderr}`)
  }
  // Those of the benchmark, with the work of the comparison; Polly here also patches node:http.
  for (const from of [benchmark, here]) {
    for (const name of readdirSync(from).filter((file) => file.endsWith('.mjs')))
      copyFileSync(join(from, name), join(folder, name))
  }
  return folder
}

async function startServer(): Promise<{ readonly url: string; stop(): Promise<void> }> {
  let count = 0
  const server: Server = createServer(async (request, response) => {
    if (request.url === '/stream') {
      for (const part of ['one', 'twotwo', 'threethree']) {
        response.write(part)
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
      response.end()
      return
    }
    count += 1
    if (request.url === '/secret') response.end(`your key is ${SECRET}`)
    else response.end(`answer ${count}`)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return {
    url: `http://127.0.0.1:${port}`,
    stop: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  console.log(comparisonTable(await comparePeers(join(tmpdir(), 'reprise-compare-peers'))))
