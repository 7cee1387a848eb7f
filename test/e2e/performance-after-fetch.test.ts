/** The global `performance`, which Node makes on first access, and the imported one: before and after a `fetch`. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { reprise } from '../support/cli.ts'
import { startLocalServer } from '../support/local-server.ts'
import { runChild } from '../support/run-child.ts'
import { tempFolder } from '../support/temp-folder.ts'

const programs = {
  'the first use is after a fetch': `
    await (await fetch(process.argv[2])).json()
    console.log(performance.now(), performance.timeOrigin)`,
  'global and imported, before and after': `
    import { performance as imported } from 'node:perf_hooks'
    console.log(performance.now(), imported.now())
    await (await fetch(process.argv[2])).json()
    console.log(performance.now(), imported.now(), performance === imported)`,
  'imported later': `
    await (await fetch(process.argv[2])).json()
    const { performance: imported } = await import('node:perf_hooks')
    console.log(imported.now(), performance.now(), performance === imported)`,
}

test.each(Object.entries(programs))('%s', async (_name, program) => {
  const folder = tempFolder()
  writeFileSync(join(folder, 'main.mjs'), program)
  const server = await startLocalServer()
  const recorded = await reprise(
    ['record', '--out', 'run.tape', '--', process.execPath, 'main.mjs', server.url],
    { cwd: folder },
  )
  await server.stop()
  expect(recorded.code, recorded.stderr).toBe(0)
  const reads = readFileSync(join(folder, 'run.tape'), 'utf8').split('performance.now').length - 1
  expect(reads).toBe(program.split('.now()').length - 1)
  const replayed = await reprise(['replay', 'run.tape'], { cwd: folder })
  expect([replayed.code, replayed.stdout]).toEqual([0, recorded.stdout])
})

test('a recorded fetch leaves the lazy globals of Node as a plain one does', async () => {
  const folder = tempFolder()
  writeFileSync(
    join(folder, 'main.mjs'),
    `const names = ['Headers', 'Request', 'Response', 'FormData']
    const forms = () => names.map((name) => Object.keys(Object.getOwnPropertyDescriptor(globalThis, name)).join())
    console.log(JSON.stringify(forms()))
    await (await fetch(process.argv[2])).json()
    console.log(JSON.stringify(forms()), new Headers({ a: 'b' }).get('a'), Headers === Headers)`,
  )
  const server = await startLocalServer()
  const plain = await runChild(process.execPath, ['main.mjs', server.url], { cwd: folder })
  const words = ['record', '--quiet', '--out', 'run.tape', '--', process.execPath, 'main.mjs', server.url]
  const recorded = await reprise(words, { cwd: folder })
  await server.stop()
  expect([recorded.code, recorded.stdout]).toEqual([0, plain.stdout])
  const replayed = await reprise(['replay', 'run.tape'], { cwd: folder })
  expect([replayed.code, replayed.stdout]).toEqual([0, plain.stdout])
})
