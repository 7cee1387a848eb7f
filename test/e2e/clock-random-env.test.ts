/**
 * The built command line on a program that takes in clock, randomness and environment in every way: a replay
 * prints the same, on each Node.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { newerNode } from '../support/newer-node.ts'
import { runChild } from '../support/run-child.ts'
import { tempFolder } from '../support/temp-folder.ts'

const program = fileURLToPath(new URL('../fixtures/boundaries/clock-random-env.mjs', import.meta.url))
const bin = fileURLToPath(new URL('../../bin/reprise.js', import.meta.url))

for (const name of ['this Node', 'node22', 'node24', 'node26']) {
  test(`on ${name}`, async (context) => {
    const node = name === 'this Node' ? process.execPath : newerNode(name)
    if (node === null) return context.skip(name)
    const tape = join(tempFolder(), 'run.tape')
    const recorded = await runChild(node, [bin, 'record', '--quiet', '--out', tape, '--', node, program], {})
    expect(recorded.code, recorded.stderr).toBe(0)
    expect(recorded.stdout).toContain('caught boom')
    const report = `${tape}.report`
    const replayed = await runChild(node, [bin, 'replay', tape, '--report', report, '--', node, program], {
      env: { PATH: process.env.PATH },
    })
    expect(replayed.stdout).toBe(recorded.stdout)
    // The warning names the pid of the recorded run.
    expect(recorded.stderr).toContain('Warning: noted')
    expect(replayed.stderr).toContain(recorded.stderr)
    expect(JSON.parse(readFileSync(report, 'utf8'))).toMatchObject({
      verdict: 'faithful',
      clock_reads: { extra: 0, missing: 0 },
      unused: [],
    })
    expect(replayed.code).toBe(0)
  })
}
