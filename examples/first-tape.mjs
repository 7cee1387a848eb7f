/**
 * The shortest whole story: record three things that a program took in, close the tape, check it, look into
 * it, and see that a secret did not reach the disk. Run by `npm start`.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createScrubber } from 'reprise/scrub'
import {
  createHeader,
  createStreamingRecorder,
  recordMcpJsonRpc,
  runWithRecorder,
  TapeWriter,
  withActiveRecorder,
} from 'reprise/tape'

const folder = mkdtempSync(join(tmpdir(), 'reprise-demo-'))
const path = join(folder, 'run.tape')
const secret = 'npm_FakeTokenForTheDemo0123456789abcdEFGH'

const scrubber = createScrubber({ env: { DEMO_TOKEN: secret } })
const writer = TapeWriter.open(
  path,
  scrubber.value(createHeader({ scriptPath: 'examples/first-tape.mjs' }), 'sent'),
)
const recorder = createStreamingRecorder(writer)

runWithRecorder(recorder, () => {
  withActiveRecorder(() => ({ kind: 'clock_read', source: 'wall', valueMs: Date.now() }))
  withActiveRecorder(({ payloadFromBytes }) => {
    const response = payloadFromBytes(
      scrubber.bytes(Buffer.from(`{"text":"use ${secret} to publish"}`), 'received'),
    )
    return { kind: 'llm_call', requestDigest: response.contentHash, response }
  })
  const request = { jsonrpc: '2.0', method: 'tools/list', params: {} }
  recordMcpJsonRpc(
    {
      server: 'demo',
      method: 'tools/list',
      request,
      response: { jsonrpc: '2.0', id: 1, result: { tools: [] } },
      latencyMs: 3,
    },
    scrubber,
  )
})
const receipt = writer.close(scrubber.value({ exit: { code: 0, signal: null } }, 'sent'))

console.log(`recorded ${receipt.records} records to ${path}`)
for (const command of ['verify', 'inspect']) {
  console.log(`\n$ reprise ${command} run.tape`)
  process.stdout.write(
    execFileSync(
      process.execPath,
      [fileURLToPath(new URL('../bin/reprise.js', import.meta.url)), command, path],
      { encoding: 'utf8' },
    ),
  )
}
const leaked = readFileSync(path, 'utf8').includes(secret)
console.log(
  `\nthe token ${leaked ? 'IS ON THE TAPE' : 'did not reach the disk'}: ${readFileSync(path, 'utf8').match(/use (<redacted:[^>]+>)/)?.[1]}`,
)
rmSync(folder, { recursive: true, force: true })
process.exitCode = leaked ? 1 : 0
