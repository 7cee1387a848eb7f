/**
 * gRPC, `node:http2` over TLS and Bedrock's event stream: each program is recorded with its other side, on every Node
 * that is installed, and replayed without network and secrets.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import { compatReplays, compatTimeout } from '../support/campaign.ts'
import { selfSigned } from '../support/certificate.ts'
import { installedPackages } from '../support/installed-packages.ts'
import { newerNode } from '../support/newer-node.ts'
import { needs } from '../support/outside.ts'
import { type ChildRun, runChild } from '../support/run-child.ts'
import { recordServer } from '../support/served-program.ts'
import { type Http2Program, http2Programs } from './http2/programs.ts'

const bin = fileURLToPath(new URL('../../bin/reprise.js', import.meta.url))
const replays = compatReplays(1)
const versions = [20, 22, 24, 26] as const
const secrets = {
  GRPC_TOKEN: 'gRpcT0ken-of-the-test-4711',
  AWS_SECRET: 'wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEY',
}

describe.each(versions)('Node %i', (version) => {
  test.for(http2Programs)('$name', { timeout: compatTimeout(180_000) }, async (program, context) => {
    needs(context, 'unshare', 'openssl')
    const node = version === 20 ? process.execPath : newerNode(`node${version}`)
    expect(node, `Node ${version} is not installed`).not.toBeNull()
    if (node === null || version < program.since) return
    const folder = mkdtempSync(join(installedPackages(program.packages), `node${version}-`))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const { key, cert } = selfSigned()
    writeFileSync(join(folder, 'key.pem'), key)
    writeFileSync(join(folder, 'cert.pem'), cert)
    writeFileSync(join(folder, 'client.mjs'), program.client)
    const run = program.recorded === 'client' ? recordedClient : recordedServer
    const { tape, recorded } = await run(program, node, folder)
    expect(recorded.code).toBe(0)
    expect(recorded.stdout).not.toBe('')
    for (const secret of Object.values(secrets)) expect(holds(tape, secret), secret).toBe(false)
    if (program.name.includes('Bedrock')) expectModelCalls(tape)
    for (let round = 0; round < replays; round += 1) expectSame(node, folder, tape, recorded)
  })
})

type Recorded = { readonly tape: string; readonly recorded: ChildRun }

async function recordedClient({ server }: Http2Program, node: string, folder: string): Promise<Recorded> {
  writeFileSync(join(folder, 'server.mjs'), server)
  const child = spawn(node, ['server.mjs'], { cwd: folder, env: { ...process.env, RECORDED: 'client' } })
  try {
    const env = { ...process.env, ...secrets, ...(await announced(child)), NODE_NO_WARNINGS: '1' }
    const tape = join(folder, 'run.tape')
    const words = [bin, 'record', '--quiet', '--out', tape, '--', node, 'client.mjs']
    const recorded = await runChild(node, words, { cwd: folder, env })
    expect(recorded.stderr).toBe('')
    return { tape, recorded }
  } finally {
    child.kill('SIGKILL')
  }
}

async function recordedServer({ server }: Http2Program, node: string, folder: string): Promise<Recorded> {
  const program = await recordServer(
    server,
    async ({ port, pid }) => {
      const env = { ...process.env, ...secrets, PORT: String(port) }
      expect(await runChild(node, ['client.mjs'], { cwd: folder, env })).toMatchObject({ code: 0 })
      process.kill(pid, 'SIGTERM')
    },
    { node, folder },
  )
  expect(program.recorded.stderr).not.toContain('reprise:')
  return { tape: program.tape, recorded: program.recorded }
}

/** The server prints its port, and another number. */
function announced(child: ChildProcess): Promise<{ readonly PORT: string; readonly OTHER: string }> {
  return new Promise((resolve, reject) => {
    let text = ''
    child.stderr?.on('data', (bytes: Buffer) => {
      text += bytes
      const [, port = '', other = ''] = /PORT (\d+) PID (\d+)\n/.exec(text) ?? []
      if (port !== '') resolve({ PORT: port, OTHER: other })
    })
    child.once('exit', () => reject(new Error(text)))
  })
}

function expectSame(node: string, folder: string, tape: string, recorded: ChildRun): void {
  const report = join(folder, 'report.json')
  const run = spawnSync('unshare', ['-rn', node, bin, 'replay', tape, '--report', report], {
    cwd: folder,
    encoding: 'utf8',
    env: { PATH: process.env.PATH, NODE_NO_WARNINGS: '1' },
  })
  const { verdict, divergences, gaps } = JSON.parse(readFileSync(report, 'utf8'))
  expect({ verdict, divergences, gaps }).toEqual({ verdict: 'faithful', divergences: [], gaps: [] })
  expect({ stdout: run.stdout, code: run.status }).toEqual({ stdout: recorded.stdout, code: recorded.code })
}

/** One over HTTP/1, one over HTTP/2, with the same content. */
function expectModelCalls(tape: string): void {
  const calls = readFileSync(tape, 'utf8')
    .split('\n')
    .filter((line) => line.includes('"kind":"llm_call"'))
    .map((line) => JSON.parse(line).kind)
  expect(calls).toHaveLength(2)
  for (const call of calls) {
    expect(call).toMatchObject({ provider: 'bedrock', model: 'anthropic.claude-test-v1:0' })
    expect(call.usage).toMatchObject({ input_tokens: 21, output_tokens: 9 })
    expect(JSON.parse(call.response.text)).toMatchObject({
      text: 'The weather in Köln',
      stop_reason: 'tool_use',
      tool_calls: [{ id: 'tool_1', name: 'weather', arguments: { city: 'Köln' } }],
    })
  }
}

/** Whether the tape, or a payload next to it, has the text. */
function holds(tape: string, secret: string): boolean {
  const texts = [readFileSync(tape, 'latin1')]
  const payloads = `${tape}.cas`
  for (const entry of readdirSync(join(tape, '..'), { recursive: true, withFileTypes: true }))
    if (entry.isFile() && entry.parentPath.startsWith(payloads))
      texts.push(readFileSync(join(entry.parentPath, entry.name), 'latin1'))
  return texts.some((text) => text.includes(secret))
}
