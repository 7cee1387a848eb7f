/**
 * Clients of databases, mail servers, WebSockets and browsers. Each program is recorded with its server, on every
 * Node that is installed. Then the server is stopped, and the tape is replayed without network and password.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { compatReplays, compatTimeout } from '../support/campaign.ts'
import { installedPackages } from '../support/installed-packages.ts'
import { newerNode } from '../support/newer-node.ts'
import { needs } from '../support/outside.ts'
import { type ChildRun, runChild } from '../support/run-child.ts'
import { type ClientProgram, clientPrograms } from './clients/programs.ts'

const bin = fileURLToPath(new URL('../../bin/reprise.js', import.meta.url))
const replays = compatReplays(1)
const versions = [20, 22, 24, 26] as const

type Recorded = {
  readonly node: string
  readonly folder: string
  readonly tape: string
  readonly run: ChildRun
}

test.for(clientPrograms)('$name', { timeout: compatTimeout(600_000) }, async (program, context) => {
  needs(context, 'unshare', ...program.needs)
  const packages = installedPackages(program.packages)
  const server = await program.server(packages)
  const recorded: Recorded[] = []
  try {
    for (const version of versions)
      if (version >= program.since) recorded.push(await record(program, version, packages, server.env))
  } finally {
    await server.stop()
  }
  for (const { tape } of recorded)
    for (const secret of server.secrets) expect(holds(tape, secret), secret).toBe(false)
  for (const one of recorded) for (let round = 0; round < replays; round += 1) expectSame(one)
})

async function record(
  program: ClientProgram,
  version: number,
  packages: string,
  env: Readonly<Record<string, string>>,
): Promise<Recorded> {
  const node = version === 20 ? process.execPath : newerNode(`node${version}`)
  if (node === null) throw new Error(`Node ${version} is not installed`)
  // Inside of the folder with the packages, where Node finds them.
  const folder = mkdtempSync(join(packages, `node${version}-`))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'agent.mjs'), program.source)
  const tape = join(folder, 'run.tape')
  const run = await runChild(node, [bin, 'record', '--quiet', '--out', tape, '--', node, 'agent.mjs'], {
    cwd: folder,
    env: { ...process.env, ...env },
  })
  expect(run, `${program.name} on Node ${version}`).toMatchObject({ code: 0, stderr: '' })
  expect(run.stdout).not.toBe('')
  return { node, folder, tape, run }
}

function expectSame({ node, folder, tape, run }: Recorded): void {
  const report = join(folder, 'report.json')
  const words = ['-rn', node, bin, 'replay', tape, '--report', report]
  const replayed = spawnSync('unshare', words, {
    cwd: folder,
    encoding: 'utf8',
    env: { PATH: process.env.PATH },
  })
  const { verdict, divergences, gaps } = JSON.parse(readFileSync(report, 'utf8'))
  expect({ verdict, divergences, gaps }, node).toEqual({ verdict: 'faithful', divergences: [], gaps: [] })
  expect({ stdout: replayed.stdout, code: replayed.status }).toEqual({ stdout: run.stdout, code: 0 })
}

/** Whether the tape, or a payload next to it, has the text. */
function holds(tape: string, secret: string): boolean {
  const texts = [readFileSync(tape, 'latin1')]
  for (const entry of readdirSync(join(tape, '..'), { recursive: true, withFileTypes: true }))
    if (entry.isFile()) texts.push(readFileSync(join(entry.parentPath, entry.name), 'latin1'))
  return texts.some((text) => text.includes(secret))
}
