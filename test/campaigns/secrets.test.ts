/**
 * Secrets of every kind, through every channel, in every encoding, each with a value of its own, by the
 * command line, `record()`, `testbench()` and the Vitest runner. Nothing of them may be in what Reprise
 * writes, by a search for the values themselves, by `reprise scrub --check` and by secretlint. A replay
 * without the values must be faithful.
 *
 * Full: each cell on each host. A tenth of that in `.ci/run`, two small runs in the tests. Each run and each
 * host prints its cells, so a campaign that is stopped still counts. A run that breaks does not end the host.
 * `npm run campaign -- secrets.test -t '^cli:'` runs one host.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { campaignSeed, campaignSize, scaled } from '../support/campaign.ts'
import { reprise } from '../support/cli.ts'
import { runChild } from '../support/run-child.ts'
import { type Random, seeded } from '../support/seeded.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { channels } from './secrets/agent.mjs'
import { startAnsweringServer } from './secrets/answering-server.ts'
import {
  type Cell,
  encoders,
  encodings,
  isKnown,
  kinds,
  messageOf,
  secretOf,
  variableOf,
} from './secrets/cells.mjs'
import { filesBelow, leaksIn, readableText, secretlintFindings, windowsOf } from './secrets/find-leaks.ts'

const hosts = ['cli', 'record', 'testbench', 'vitest'] as const
type Host = (typeof hosts)[number] | 'replayed'

const root = new URL('../../', import.meta.url).pathname
const place = new URL('./secrets/', import.meta.url).pathname
const names = Object.keys(channels)
/** Starting the hosts and reading their artefacts is dear: a run has many cells. */
const CELLS_OF_A_RUN = campaignSize === 'short' ? 24 : 600

test('the campaign is as large as it says', () => {
  expect(kinds.length).toBeGreaterThanOrEqual(50)
  expect(names.length).toBeGreaterThanOrEqual(60)
  expect(encodings.length).toBeGreaterThanOrEqual(10)
})

/** In the tests one of the hosts, by the seed: the run that is replayed is one of the command line. */
const tried = campaignSize === 'short' ? [hosts[1 + (campaignSeed % 3)] ?? 'record'] : hosts
for (const [at, host] of tried.entries()) {
  test(`${host}: nothing is left of the secrets`, { timeout: scaled(7_200_000, 120_000) }, async () => {
    const random = seeded(campaignSeed + at)
    expect(await checkRuns(host, runsOf(random))).toEqual([])
  })
}

/** Node chooses quotes and widths by the value, so a variable is printed in another way than its placeholder. */
const LAID_OUT = new Set(['console.table', 'console.log of an object'])

/** The text is followed by a line break: see docs/limits.md, Placeholders. */
const isSwallowed = ({ kind, channel }: Cell): boolean =>
  kind === 'known, with a line break at its end' && channel === 'error that is caught'

/**
 * A variable that was encoded is the encoded placeholder in a replay, which is another text: those are left
 * out.
 */
test('a replay without the values is faithful', { timeout: scaled(7_200_000, 120_000) }, async () => {
  const random = seeded(campaignSeed + hosts.length)
  const runs = runsOf(random)
    .slice(0, scaled(12, 1))
    .map((cells) =>
      cells.filter(
        (cell) =>
          !isKnown(cell.kind) ||
          (cell.encoding === 'plain' && !LAID_OUT.has(cell.channel) && !isSwallowed(cell)),
      ),
    )
  expect(await checkRuns('replayed', runs)).toEqual([])
})

/**
 * Every cell, in runs; in the smaller sizes some of the runs. Cells are mixed, so that each run has all
 * sorts.
 */
function runsOf(random: Random): Cell[][] {
  const all = kinds.flatMap((kind) =>
    names.flatMap((channel) => encodings.map((encoding) => ({ kind, channel, encoding }))),
  )
  for (let at = all.length - 1; at > 0; at -= 1) {
    const other = random(at + 1)
    const [one, two] = [all[at], all[other]]
    if (one !== undefined && two !== undefined) [all[at], all[other]] = [two, one]
  }
  const runs = Array.from({ length: Math.ceil(all.length / CELLS_OF_A_RUN) }, (_, run) =>
    all.slice(run * CELLS_OF_A_RUN, (run + 1) * CELLS_OF_A_RUN),
  )
  return runs.slice(0, campaignSize === 'short' ? 1 : scaled(runs.length))
}

/** Returns what broke. Prints a line for each run and one for the host. */
async function checkRuns(host: Host, runs: readonly Cell[][]): Promise<string[]> {
  const failures: string[] = []
  const tally = { tried: 0, broken: 0 }
  for (const [at, cells] of runs.entries()) {
    const result = await checkRun(host, cells)
    tally.tried += cells.length
    tally.broken += result.broken
    failures.push(...result.failures)
    print(`${host}, run ${at + 1} of ${runs.length}`, cells.length, result.broken)
    for (const failure of result.failures) console.log(failure)
  }
  print(`${host}, in all`, tally.tried, tally.broken)
  return failures
}

function print(what: string, tried: number, broken: number): void {
  console.log(`secrets, ${what}: ${tried} cells tried, ${tried - broken} held, ${broken} broken`)
}

type Result = { readonly failures: readonly string[]; readonly broken: number }

/** A run that fails as a whole counts as broken in each of its cells. */
async function checkRun(host: Host, cells: readonly Cell[]): Promise<Result> {
  try {
    const failures = await leaksOf(host, cells)
    return { failures, broken: new Set(failures.map((leak) => leak.slice(0, leak.indexOf(': …')))).size }
  } catch (error) {
    return { failures: [`${host}: ${String(error)}`], broken: cells.length }
  }
}

async function leaksOf(host: Host, cells: readonly Cell[]): Promise<string[]> {
  const seed = campaignSeed
  const folder = tempFolder()
  const artefacts = join(folder, 'artefacts')
  const work = join(folder, 'work')
  mkdirSync(artefacts)
  mkdirSync(work)
  const messages = cells.map((cell) => messageOf(seed, cell))
  layOut(work, cells, messages)
  const server = await startAnsweringServer(messages)
  const tape = join(artefacts, 'run.tape')
  const plan = JSON.stringify({
    seed,
    cells,
    url: server.url,
    folder: work,
    tape,
    host: host === 'replayed' ? 'cli' : host,
  })
  const secrets = Object.fromEntries(
    cells.filter(({ kind }) => isKnown(kind)).map((cell) => [variableOf(cell), secretOf(seed, cell)]),
  )
  try {
    const env = { ...process.env, ...secrets, CAMPAIGN_PLAN: plan, REPRISE_MODE: 'auto', CI: '' }
    const run = await start(host, tape, env)
    expect(run.code, `${host}: ${run.stderr.slice(-2000)}`).toBe(0)
    await inspect(artefacts, tape, host, { ...process.env, CAMPAIGN_PLAN: plan }, env)
    const sent = cells.map((cell, at) => ({
      name: `${host}: ${cell.kind} | ${cell.channel} | ${cell.encoding}`,
      message: messages[at] ?? '',
      other: encoders[cell.encoding]?.(secretOf(`${seed} other`, cell).trim()) ?? '',
    }))
    const windows = windowsOf(sent)
    const leaks: string[] = []
    for (const file of filesBelow(artefacts)) {
      const text = `${file.slice(folder.length)}\n${readableText(file)}`
      leaks.push(...leaksIn(text, windows), ...(await secretlintFindings(text)))
    }
    return leaks
  } finally {
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** What the cells read. */
function layOut(work: string, cells: readonly Cell[], messages: readonly string[]): void {
  for (const [id, { channel }] of cells.entries()) {
    const message = messages[id] ?? ''
    if (channel.startsWith('read')) writeFileSync(join(work, `in-${id}.txt`), `a ${message} b\n`)
    if (channel !== 'readdir') continue
    mkdirSync(join(work, `names-${id}`))
    writeFileSync(
      join(
        work,
        `names-${id}`,
        `x ${message.length > 140 ? 'long' : message.replace(/[/\0\n]/g, (char) => encodeURIComponent(char))}`,
      ),
      '',
    )
  }
}

function start(host: Host, tape: string, env: NodeJS.ProcessEnv): ReturnType<typeof runChild> {
  const script = join(place, 'run.mjs')
  switch (host) {
    case 'cli':
    case 'replayed': {
      const extra = ['--report', `${tape}.report.json`, '--emit-diff', `${tape}.diff`]
      return reprise(['record', '--out', tape, ...extra, '--', process.execPath, script], { cwd: place, env })
    }
    case 'record':
    case 'testbench':
      return runChild(process.execPath, [script], { cwd: place, env })
    case 'vitest': {
      const vitest = join(root, 'node_modules/vitest/vitest.mjs')
      return runChild(
        process.execPath,
        [vitest, 'run', '--root', place, '--config', join(place, 'vitest-host.config.mjs')],
        {
          cwd: place,
          env,
        },
      )
    }
  }
}

/** What the commands write about a tape belongs to the artefacts, too. */
async function inspect(
  artefacts: string,
  tape: string,
  host: Host,
  without: NodeJS.ProcessEnv,
  env: NodeJS.ProcessEnv,
): Promise<void> {
  const checked = await reprise(['scrub', tape, '--check'], { env })
  expect(checked.code, `scrub --check: ${checked.stdout}${checked.stderr}`).toBe(0)
  for (const args of [
    ['inspect', tape],
    ['view', tape, '--export', join(artefacts, 'page.html')],
    ['verify', tape],
  ]) {
    const { stdout, stderr } = await reprise(args, { env: without })
    writeFileSync(join(artefacts, `${args[0]}.txt`), `${stdout}\n${stderr}`)
  }
  if (host !== 'cli' && host !== 'replayed') return
  const report = join(artefacts, 'replay.json')
  const replay = await reprise(
    ['replay', tape, '--report', report, '--emit-tape', join(artefacts, 'again.tape')],
    {
      cwd: place,
      env: without,
    },
  )
  writeFileSync(join(artefacts, 'replay.stderr'), reprisesOwn(replay.stderr))
  if (host === 'replayed') expect(replay.code, `replay: ${replay.stderr.slice(-3000)}`).toBe(0)
}

/** The lines of Reprise itself: the program prints its secrets in a replay as well. */
function reprisesOwn(stderr: string): string {
  return stderr
    .split('\n')
    .filter((line) => line.startsWith('reprise'))
    .join('\n')
}
