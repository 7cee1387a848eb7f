/**
 * Recording and replaying with this version against another: `REPRISE_OTHER=<built checkout> npm run bench --
 * versions`.
 *
 * Each run is a process of its own, through the command line of its version; the versions take turns, and
 * each replays its own tape. What decides is the median of processor time (user and system, children
 * included), because others may load the machine. A small tape is also compared by the fastest wall time,
 * which load disturbs least.
 */
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { median, verdict } from './measure.ts'
import { measuredEnvironment } from './support/measured-environment.ts'

const ROUNDS = 11
const self = fileURLToPath(new URL('..', import.meta.url))

/** Programs, by name. `URL` is the address of the local server. */
const programs: Readonly<Record<string, string>> = {
  '1,000 requests': `for (let n = 0; n < 1000; n += 1) await (await fetch(process.env.URL + '?n=' + n)).json()`,
  'a long stream': `for (let n = 0; n < 20; n += 1) await (await fetch(process.env.URL + 'stream?n=' + n)).text()`,
  '2,000 file reads': `import { readFileSync } from 'node:fs'
    for (let n = 0; n < 2000; n += 1) readFileSync('files/' + (n % 200) + '.txt', 'utf8')`,
  'small tape': `for (let n = 0; n < 3; n += 1) await (await fetch(process.env.URL + '?n=' + n)).json()`,
}

type Run = { readonly cpuMs: number; readonly wallMs: number }

export async function bench(): Promise<void> {
  const other = process.env.REPRISE_OTHER
  if (other === undefined) {
    console.log('not measured: REPRISE_OTHER names no built checkout to compare with')
    return
  }
  console.log(`load of the machine: ${loadavg()[0]?.toFixed(1)}`)
  const folder = mkdtempSync(join(tmpdir(), 'reprise-versions-'))
  const server = await startServer()
  try {
    mkdirSync(join(folder, 'files'))
    for (let n = 0; n < 200; n += 1)
      writeFileSync(join(folder, `files/${n}.txt`), `${n} lorem ipsum dolor\n`.repeat(500))
    for (const [name, source] of Object.entries(programs))
      await compare(name, source, folder, { this: self, other }, server.url)
  } finally {
    server.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function compare(
  name: string,
  source: string,
  folder: string,
  trees: { readonly this: string; readonly other: string },
  url: string,
) {
  writeFileSync(join(folder, 'program.mjs'), source)
  const runs = {
    record: { this: [] as Run[], other: [] as Run[] },
    replay: { this: [] as Run[], other: [] as Run[] },
  }
  for (let round = -1; round < ROUNDS; round += 1) {
    // The first round only warms up; who comes first moves on by one.
    for (const version of round % 2 === 0 ? (['this', 'other'] as const) : (['other', 'this'] as const)) {
      const tape = `${version}.tape`
      const reprise = (...args: readonly string[]): Promise<Run> =>
        timed(folder, [join(trees[version], 'bin/reprise.js'), ...args], url)
      const recorded = await reprise(
        'record',
        '--force',
        '--out',
        tape,
        '--',
        process.execPath,
        'program.mjs',
      )
      const replayed = await reprise('replay', tape)
      if (round < 0) continue
      runs.record[version].push(recorded)
      runs.replay[version].push(replayed)
    }
  }
  for (const mode of ['record', 'replay'] as const) {
    const { this: mine, other } = runs[mode]
    const cpu = (all: readonly Run[]): number => median(all.map(({ cpuMs }) => cpuMs))
    const wall = (all: readonly Run[]): number => Math.min(...all.map(({ wallMs }) => wallMs))
    console.log(
      `${mode}, ${name}: processor ms ${cpu(mine)} against ${cpu(other)}, fastest wall ms ${wall(mine)} against ${wall(other)}`,
    )
    verdict(`${mode}, ${name}: processor time`, cpu(mine) / cpu(other), 1.05, 'at most')
    if (mode === 'replay' && name === 'small tape')
      verdict('replay, small tape: times faster', wall(other) / wall(mine), 1.5, 'at least')
  }
}

/** Runs a command line under `time` of the shell, which counts children too. */
async function timed(cwd: string, args: readonly string[], url: string): Promise<Run> {
  const script = 'TIMEFORMAT="%3U %3S %3R"; time "$0" "$@"'
  const child = spawn('bash', ['-c', script, process.execPath, ...args], {
    cwd,
    env: measuredEnvironment({ URL: url }),
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let said = ''
  child.stderr.on('data', (data: Buffer) => {
    said += data.toString()
  })
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve))
  const [user, system, wall] = (said.trim().split('\n').at(-1) ?? '')
    .split(' ')
    .map((seconds) => Math.round(Number(seconds) * 1000))
  if (code !== 0 || user === undefined || system === undefined || wall === undefined)
    throw new Error(`${args.join(' ')}: exit code ${code}\n${said}`)
  return { cpuMs: user + system, wallMs: wall }
}

async function startServer(): Promise<{ readonly url: string; stop(): void }> {
  const answer = JSON.stringify({ ok: true, text: 'x'.repeat(1000) })
  const server = createServer((request, response) => {
    if (request.url?.startsWith('/stream') !== true) {
      response.writeHead(200, { 'content-type': 'application/json' }).end(answer)
      return
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (let n = 0; n < 200; n += 1) response.write(`data: {"n":${n},"text":"one word after the other"}\n\n`)
    response.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const stop = (): void => {
    server.closeAllConnections()
    server.close()
  }
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, stop }
}
