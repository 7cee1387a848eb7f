/**
 * Whatever modules of Node's a program loads, and in whatever order: it is recorded, and replayed, on each
 * Node.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { newerNode } from '../support/newer-node.ts'
import { runChild } from '../support/run-child.ts'
import { tempFolder } from '../support/temp-folder.ts'

const bin = fileURLToPath(new URL('../../bin/reprise.js', import.meta.url))

/** `domain` changes how every error is thrown, in plain Node too. */
const NAMES = `import { builtinModules, createRequire } from 'node:module'
const names = builtinModules.filter((name) => name !== 'domain' && name !== 'node:sea')`
const TAKES_IN = `const { randomUUID } = await import('node:crypto')
console.log(names.length > 50, randomUUID(), crypto.randomUUID(), Date.now(), (await import('node:os')).hostname())`

const PROGRAMS = {
  'imported one after the other': `${NAMES}
for (const name of names) await import(name)
${TAKES_IN}`,
  'required, the last one first': `${NAMES}
for (const name of names.reverse()) createRequire(import.meta.url)(name)
${TAKES_IN}`,
  'util alone, whose properties load others': `import * as util from 'node:util'
const names = Object.keys(util)
for (const name of names) util[name]
${TAKES_IN.replace('> 50', '> 20')}`,
}

for (const [name, [what, source]] of ['this Node', 'node22', 'node24', 'node26'].flatMap((name) =>
  Object.entries(PROGRAMS).map((one) => [name, one] as const),
)) {
  test(`on ${name}: ${what}`, async (context) => {
    const node = name === 'this Node' ? process.execPath : newerNode(name)
    if (node === null) return context.skip(name)
    const folder = tempFolder()
    const [tape, script, report] = ['run.tape', 'program.mjs', 'report.json'].map((file) =>
      join(folder, file),
    ) as [string, string, string]
    writeFileSync(script, source)
    const recorded = await runChild(
      node,
      [bin, 'record', '--quiet', '--out', tape, '--', node, '--no-warnings', script],
      {},
    )
    expect(recorded).toMatchObject({ code: 0, stderr: '', stdout: expect.stringMatching(/^true /) })
    const replayed = await runChild(
      node,
      [bin, 'replay', tape, '--report', report, '--', node, '--no-warnings', script],
      {},
    )
    expect(replayed).toMatchObject({ code: 0, stderr: '', stdout: recorded.stdout })
    expect(JSON.parse(readFileSync(report, 'utf8'))).toMatchObject({
      verdict: 'faithful',
      divergences: [],
      unused: [],
      gaps: [],
    })
  })
}
