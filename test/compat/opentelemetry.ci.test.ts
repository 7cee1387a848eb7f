/**
 * OpenTelemetry's SDK with its instrumentations of `http` and undici, which exports its spans by OTLP: the
 * exported bytes are requests, so a faithful replay has the same spans, ids and times.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { compatReplays, compatTimeout } from '../support/campaign.ts'
import { installedPackages } from '../support/installed-packages.ts'
import { listening } from '../support/listening.ts'
import { newerNode } from '../support/newer-node.ts'
import { needs } from '../support/outside.ts'
import { runChild } from '../support/run-child.ts'

const bin = fileURLToPath(new URL('../../bin/reprise.js', import.meta.url))
const replays = compatReplays(2)

const source = `
const { NodeSDK } = require('@opentelemetry/sdk-node')
const { HttpInstrumentation } = require('@opentelemetry/instrumentation-http')
const { UndiciInstrumentation } = require('@opentelemetry/instrumentation-undici')
const { OTLPTraceExporter } = require('@opentelemetry/exporter-trace-otlp-http')
const sdk = new NodeSDK({
  serviceName: 'agent',
  traceExporter: new OTLPTraceExporter({ url: process.env.COLLECTOR + '/v1/traces' }),
  instrumentations: [new HttpInstrumentation(), new UndiciInstrumentation()],
})
sdk.start()
const http = require('node:http')
const { trace } = require('@opentelemetry/api')
const server = http.createServer((req, res) => {
  console.log(req.url, req.headers.traceparent, trace.getActiveSpan().spanContext().spanId)
  res.end('ok')
})
server.listen(0, '127.0.0.1', async () => {
  const url = 'http://127.0.0.1:' + server.address().port
  await trace.getTracer('agent').startActiveSpan('work', async (span) => {
    await (await fetch(url + '/a')).text()
    await (await fetch(url + '/b', { method: 'POST', body: 'x' })).text()
    await new Promise((done) => http.get(url + '/c', (res) => res.resume().on('end', done)))
    span.end()
  })
  server.close()
  server.closeAllConnections()
  await sdk.shutdown()
  console.log('done')
})
`

test.for(['node20', 'node22', 'node24', 'node26'])(
  'spans are exported again under %s',
  { timeout: compatTimeout(240_000) },
  async (name, context) => {
    needs(context, 'unshare')
    const node = name === 'node20' ? process.execPath : newerNode(name)
    if (node === null) throw new Error(`${name} is not installed`)
    const packages = installedPackages([
      '@opentelemetry/sdk-node@0.223',
      '@opentelemetry/instrumentation-http@0.223',
      '@opentelemetry/instrumentation-undici@0.33',
      '@opentelemetry/exporter-trace-otlp-http@0.223',
    ])
    const folder = mkdtempSync(join(packages, `${name}-`))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    writeFileSync(join(folder, 'agent.cjs'), source)
    const bodies: string[] = []
    const collector = await listening(
      http.createServer((req, res) => {
        const chunks: Buffer[] = []
        req.on('data', (chunk: Buffer) => chunks.push(chunk))
        req.on('end', () => {
          bodies.push(Buffer.concat(chunks).toString())
          res.setHeader('content-type', 'application/json').end('{}')
        })
      }),
    )
    const tape = join(folder, 'run.tape')
    const env = { ...process.env, COLLECTOR: collector.url, OTEL_METRICS_EXPORTER: 'none' }
    const recorded = await runChild(
      node,
      [bin, 'record', '--quiet', '--out', tape, '--', node, 'agent.cjs'],
      { cwd: folder, env },
    )
    await collector.stop()
    expect(recorded.stderr).toBe('')
    for (const span of ['"name":"work"', '"name":"GET"', '"name":"POST"', 'url.full'])
      expect(bodies.join('')).toContain(span)
    for (let round = 0; round < replays; round += 1) {
      const report = join(folder, 'report.json')
      const run = spawnSync('unshare', ['-rn', node, bin, 'replay', tape, '--report', report], {
        cwd: folder,
        env,
        encoding: 'utf8',
      })
      const { verdict, divergences, gaps } = JSON.parse(readFileSync(report, 'utf8'))
      expect({ verdict, divergences, gaps }).toEqual({ verdict: 'faithful', divergences: [], gaps: [] })
      expect(run.stdout).toBe(recorded.stdout)
    }
  },
)
