/**
 * Servers made with Express, Fastify, Hono, `ws` and the MCP SDK, recorded with a client outside and replayed
 * without any network, on every Node that is installed.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import { compatReplays, compatTimeout } from '../support/campaign.ts'
import { installedPackages } from '../support/installed-packages.ts'
import { newerNode } from '../support/newer-node.ts'
import { needs } from '../support/outside.ts'
import { recordServer } from '../support/served-program.ts'
import { serverPrograms } from './servers/programs.ts'

const bin = fileURLToPath(new URL('../../bin/reprise.js', import.meta.url))
const replays = compatReplays(2)
const nodes = ['node20', 'node22', 'node24', 'node26'] as const

describe.each(nodes)('%s', (name) => {
  test.for(serverPrograms)('$name', { timeout: compatTimeout(120_000) }, async (program, context) => {
    needs(context, 'unshare')
    const node = name === 'node20' ? process.execPath : newerNode(name)
    expect(node, `${name} is not installed`).not.toBeNull()
    if (node === null) return
    // Inside of the folder with the packages, where Node finds them.
    const folder = mkdtempSync(join(installedPackages(program.packages), `${name}-`))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const recorded = await recordServer(program.source, (served) => program.client(served), { node, folder })
    expect(recorded.recorded.stderr).not.toContain('reprise:')
    for (let round = 0; round < replays; round += 1) {
      const report = join(folder, 'report.json')
      const run = spawnSync('unshare', ['-rn', node, bin, 'replay', recorded.tape, '--report', report], {
        cwd: folder,
        encoding: 'utf8',
      })
      const { verdict, divergences, gaps } = JSON.parse(readFileSync(report, 'utf8'))
      expect({ verdict, divergences, gaps }).toEqual({ verdict: 'faithful', divergences: [], gaps: [] })
      expect(run.stdout).toBe(recorded.recorded.stdout)
      expect(run.status).toBe(recorded.recorded.code)
    }
  })
})
