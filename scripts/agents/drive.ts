/**
 * Installs one agent, records it against the model, stops the model, and replays the tape three times without
 * a network.
 */
import { spawn, spawnSync } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type RunSummary, runSummary } from '../../src/tape/run-summary.ts'
import type { AgentRow, Place } from './list.ts'
import { startModel } from './model.ts'

export type Tried = {
  readonly agent: AgentRow
  readonly node: number
  readonly summary: RunSummary | null
  readonly replayMs: number
  /** The worst of the replays. */
  readonly verdict: 'faithful' | 'unverified' | 'diverged' | 'not recorded'
  readonly reason: string
}

const project = fileURLToPath(new URL('../..', import.meta.url))
const REPLAYS = 3
/** Also enough for the largest agent on a machine that does much else. */
const LIMIT_MS = 500_000

/** The binary of this major version; null if it is not installed. */
function nodeOf(major: number): string | null {
  if (process.version.startsWith(`v${major}.`)) return process.execPath
  const path = join(project, 'node_modules', `node${major}`, 'bin', 'node')
  return existsSync(path) ? path : null
}

/** `cache` is a folder with one installation per agent. */
export async function tryAgent(agent: AgentRow, major: number, cache: string): Promise<Tried> {
  const node = nodeOf(major)
  if (node === null) return failed(agent, major, `Node ${major} is not installed`)
  const folder = installed(agent, node, cache)
  const place: Omit<Place, 'url'> = { home: mkdtempSync(join(tmpdir(), 'agent-home-')), folder, node }
  const model = await startModel(folder)
  const started = { ...place, url: model.url }
  const files = agent.home?.(started) ?? {}
  for (const [name, content] of Object.entries(files)) {
    const path = join(place.home, name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content))
  }
  const tape = join(place.home, 'run.tape')
  const env = { PATH: `${dirname(node)}:${process.env.PATH}`, HOME: place.home, TERM: 'dumb' }
  const command = ['record', '--quiet', '--out', tape, '--', node, ...agent.start(started)]
  const recorded = await reprise(command, folder, { ...env, ...agent.env?.(started) }, [])
  await model.stop()
  if (recorded.code !== 0)
    return failed(agent, major, `it ended with ${recorded.code}: ${lastLine(recorded.stderr)}`)
  const summary = runSummary(tape)
  const times: number[] = []
  for (let round = 1; round <= REPLAYS; round += 1) {
    const report = join(place.home, `report-${round}.json`)
    const words = ['replay', tape, '--tree', '--report', report]
    const replay = await reprise(words, folder, env, ['unshare', '-rn'])
    if (!existsSync(report))
      return { ...failed(agent, major, lastLine(replay.stderr)), summary, verdict: 'diverged' }
    const { tree_verdict: verdict, replay_ms, ...found } = JSON.parse(readFileSync(report, 'utf8'))
    times.push(replay_ms)
    const first = firstReason(found) ?? lastLine(replay.stderr)
    const isSame = replay.stdout === recorded.stdout
    if (verdict !== 'faithful' || !isSame)
      return {
        agent,
        node: major,
        summary,
        replayMs: replay_ms,
        verdict: isSame ? verdict : 'diverged',
        reason: first,
      }
  }
  const replayMs = times.sort((a, b) => a - b)[Math.floor(REPLAYS / 2)] ?? 0
  return { agent, node: major, summary, replayMs, verdict: 'faithful', reason: '' }
}

type Found = {
  readonly divergences: readonly { readonly message: string }[]
  readonly reasons: readonly string[]
  readonly verdict?: string
  readonly children?: readonly { readonly tape: string; readonly report: Found }[]
}

/** Of the tape, or of the first tape of a child that is not faithful. */
function firstReason({ divergences, reasons, children = [] }: Found): string | null {
  const own = divergences[0]?.message.split('\n')[0] ?? reasons[0]
  if (own !== undefined) return own
  const child = children.find(({ report }) => report.verdict !== 'faithful')
  return child === undefined ? null : `child ${child.tape}: ${firstReason(child.report)}`
}

/** Those on the tape, and on the tapes of its children. */
export function modelCallsOf({ modelCalls, childTapes = [] }: RunSummary): number {
  return childTapes.reduce((sum, { model_calls: calls }) => sum + calls, modelCalls)
}

function failed(agent: AgentRow, node: number, reason: string): Tried {
  return { agent, node, summary: null, replayMs: 0, verdict: 'not recorded', reason }
}

export function installed({ name, packages }: AgentRow, node: string, cache: string): string {
  const folder = join(cache, name.replace(/\W+/g, '-'))
  if (!existsSync(join(folder, 'node_modules'))) {
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }')
    const words = [
      'install',
      '--no-audit',
      '--no-fund',
      '--ignore-scripts',
      '--legacy-peer-deps',
      ...packages,
    ]
    const env = { ...process.env, PATH: `${dirname(node)}:${process.env.PATH}` }
    const { status, stderr } = spawnSync('npm', words, { cwd: folder, env, encoding: 'utf8' })
    if (status !== 0) throw new Error(`${name} could not be installed: ${stderr}`)
  }
  writeFileSync(join(folder, 'notes.txt'), 'The answer is in the stars.\n')
  const programs = join(project, 'scripts/agents/programs')
  for (const name of readdirSync(programs)) copyFileSync(join(programs, name), join(folder, name))
  return folder
}

type Ended = { readonly code: number | null; readonly stdout: string; readonly stderr: string }

function reprise(
  args: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv,
  before: readonly string[],
): Promise<Ended> {
  const [program = '', ...words] = [...before, process.execPath, join(project, 'bin/reprise.js'), ...args]
  return new Promise((resolve) => {
    const child = spawn(program, words, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
    const output = { stdout: '', stderr: '' }
    child.stdout.on('data', (part) => {
      output.stdout += String(part)
    })
    child.stderr.on('data', (part) => {
      output.stderr += String(part)
    })
    const limit = setTimeout(() => {
      output.stderr += `\nkilled after ${LIMIT_MS / 1000} s`
      child.kill('SIGKILL')
    }, LIMIT_MS)
    child.on('close', (code) => {
      clearTimeout(limit)
      resolve({ code, ...output })
    })
  })
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1)?.slice(0, 200) ?? ''
}
