/**
 * `import 'reprise'`: captures the functions of Node at once, and reads the rest of the library when one of
 * its functions is first called.
 */
import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { compiledPath, loadCompiled } from '../../src/real/load-compiled.ts'
import { tempFolder } from '../support/temp-folder.ts'

const library = fileURLToPath(new URL('../../dist/library/', import.meta.url))

function run(program: string): unknown {
  const folder = tempFolder()
  symlinkSync(library, join(folder, 'library'))
  writeFileSync(join(folder, 'program.mjs'), program)
  const { stdout, stderr } = spawnSync(process.execPath, ['program.mjs'], { cwd: folder, encoding: 'utf8' })
  expect(stderr).toBe('')
  return JSON.parse(stdout)
}

const WATCHED = `import fs from 'node:fs'
const read = []
const { readFileSync } = fs
fs.readFileSync = (path, ...rest) => {
  read.push(String(path).split('/').at(-1))
  return readFileSync(path, ...rest)
}
const timesRead = () => read.filter((name) => name === 'library.cjs').length
`

test('the library is read once, by the first call', () => {
  const times = run(`${WATCHED}
    const reprise = await import('./library/index.js')
    const { fork } = await import('./library/travel.js')
    const times = [timesRead()]
    await reprise.record('run.tape', async () => Date.now())
    times.push(timesRead())
    const { report } = await reprise.replay('run.tape', async () => Date.now())
    await import('./library/tape.js')
    await import('./library/fidelity.js')
    times.push(timesRead())
    console.log(JSON.stringify({ times, verdict: report.verdict, fork: typeof fork }))`)
  expect(times).toEqual({ times: [0, 1, 1], verdict: 'faithful', fork: 'function' })
})

test('what a program replaces between the import and the first call is not used by the recorder', () => {
  const seen = run(`import { record, replay } from './library/index.js'
    const calls = []
    const { now } = Date
    Date.now = () => { calls.push('now'); return now() }
    globalThis.setTimeout = () => { calls.push('setTimeout') }
    globalThis.setImmediate = () => { calls.push('setImmediate') }
    const WebAssembly = globalThis.WebAssembly
    globalThis.WebAssembly = { Module: function () { calls.push('Module') } }
    await record('run.tape', async () => 'done')
    const { report } = await replay('run.tape', async () => 'done')
    console.log(JSON.stringify({ calls, verdict: report.verdict }))`)
  expect(seen).toEqual({ calls: [], verdict: 'faithful' })
})

test('errors and classes are the same in every entry', () => {
  const same = run(`import { readTape, RepriseError } from './library/index.js'
    import { RepriseError as OfState } from './library/state.js'
    import * as tape from './library/tape.js'
    let thrown
    try { for await (const _ of readTape('none.tape')); } catch (error) { thrown = error }
    try { for await (const _ of tape.readTape('none.tape')); } catch (error) { thrown = [thrown, error] }
    console.log(JSON.stringify([RepriseError === OfState, ...thrown.map((each) => each instanceof RepriseError)]))`)
  expect(same).toEqual([true, true, true])
})

test('what V8 kept of the originals is taken by this Node, and they are loaded without it too', () => {
  const originals = join(library, 'originals.cjs')
  expect(loadCompiled(originals).script.cachedDataRejected).toBe(false)
  const alone = join(tempFolder(), 'library')
  mkdirSync(alone)
  writeFileSync(join(alone, 'package.json'), '{ "type": "module" }')
  for (const name of ['index.js', 'originals.js', 'originals.cjs'])
    copyFileSync(join(library, name), join(alone, name))
  const imported = "import { errorCodes } from './index.js'\nconsole.log(errorCodes.length > 0)"
  const importedBy = (): string => {
    const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', imported], {
      cwd: alone,
      encoding: 'utf8',
    })
    return stdout + stderr
  }
  expect(importedBy()).toBe('true\n')
  writeFileSync(compiledPath(join(alone, 'originals.cjs')), 'of no use')
  expect(importedBy()).toBe('true\n')
})
