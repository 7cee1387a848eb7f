/**
 * Records a program in a world of its own (a data folder, a git repository, a stand-in for models and web),
 * then takes that world away: the server is stopped, the folder is gone, nothing can be found on PATH. What
 * is left for a replay is the program and its tape.
 */
import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import type { ReplayReport } from '../../src/testbench/index.ts'
import { reprise } from './cli.ts'
import type { ChildRun } from './run-child.ts'
import { tempFolder } from './temp-folder.ts'

export type WorldRecording = {
  readonly tape: string
  /** Where the program worked while it was recorded; empty since. */
  readonly workspace: string
  readonly recorded: ChildRun
  /** An environment in which nothing can be started and nothing is known. */
  readonly bareEnv: NodeJS.ProcessEnv
  replay(): Promise<ChildRun & { readonly report: ReplayReport }>
}

const example = (file: string): string =>
  fileURLToPath(new URL(`../../examples/research-agent/${file}`, import.meta.url))
export const researchAgent = example('agent.mjs')
export const nastyProgram = (name: string): string =>
  fileURLToPath(new URL(`../e2e/world/${name}.mjs`, import.meta.url))

export async function recordInWorld(script: string, args: readonly string[] = []): Promise<WorldRecording> {
  const folder = tempFolder()
  const workspace = join(folder, 'workspace')
  const tape = join(folder, 'run.tape')
  makeWorkspace(workspace)
  const model = new Worker(example('model.mjs'))
  const [url] = (await once(model, 'message')) as [string]
  const silent = await startSilentServer()
  const env = {
    ...process.env,
    OPENAI_BASE_URL: `${url}/v1`,
    OPENAI_API_KEY: 'sk-proj-0123456789abcdefghijABCDEFGHIJ',
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: 'sk-ant-api03-0123456789abcdefghijABCDEFGHIJ',
    WEB_URL: url,
    SLOW_URL: silent.url,
  }
  const recorded = await reprise(['record', '--out', tape, '--', process.execPath, script, ...args], {
    cwd: workspace,
    env,
  })
  await model.terminate()
  await silent.stop()
  rmSync(workspace, { recursive: true })
  mkdirSync(workspace)
  // With a home, no one asks the name service for it.
  const bareEnv = { PATH: join(folder, 'nothing-here'), HOME: folder }
  let replays = 0
  return {
    tape,
    workspace,
    recorded,
    bareEnv,
    async replay() {
      replays += 1
      const report = join(folder, `report-${replays}.json`)
      const run = await reprise(['replay', tape, '--report', report], { cwd: workspace, env: bareEnv })
      return { ...run, report: JSON.parse(readFileSync(report, 'utf8')) }
    },
  }
}

/** Notes in a git repository for the research agent, numbers and noise for the others. */
function makeWorkspace(folder: string): void {
  mkdirSync(join(folder, 'data'), { recursive: true })
  writeFileSync(join(folder, 'data', 'noise.bin'), randomBytes(300_000))
  writeFileSync(
    join(folder, 'data', 'numbers.txt'),
    Array.from({ length: 1000 }, (_, n) => `${(n * 7919) % 1000}\n`).join(''),
  )
  const made = spawnSync(
    process.execPath,
    [
      '--input-type=module',
      '-e',
      'const { makeWorkspace } = await import(process.argv[1]); makeWorkspace(process.argv[2])',
      example('workspace.mjs'),
      folder,
    ],
    { encoding: 'utf8' },
  )
  if (made.status !== 0) throw new Error(made.stderr)
}

/** Takes requests and never answers. */
async function startSilentServer(): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const server = createServer(() => undefined).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async stop() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
