/** Rows of the table of native addons that need a package of the registry. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { reprise } from '../support/cli.ts'
import { newerNode } from '../support/newer-node.ts'
import { runChild } from '../support/run-child.ts'
import { tempFolder } from '../support/temp-folder.ts'

async function projectWith(...packages: string[]): Promise<string> {
  const folder = tempFolder()
  writeFileSync(join(folder, 'package.json'), '{"name":"project","version":"1.0.0"}')
  const words = ['install', '--no-audit', '--no-fund', '--ignore-scripts', ...packages]
  expect(await runChild('npm', words, { cwd: folder })).toMatchObject({ code: 0 })
  return folder
}

test('bufferutil and utf-8-validate are harmless', async () => {
  const cwd = await projectWith('bufferutil@4', 'utf-8-validate@6')
  writeFileSync(
    join(cwd, 'agent.cjs'),
    `const { mask } = require('bufferutil'), valid = require('utf-8-validate')
     const out = Buffer.alloc(4)
     mask(Buffer.from('abcd'), Buffer.from([1, 2, 3, 4]), out, 0, 4)
     console.log(out.toString('hex'), valid(Buffer.from('ü')), valid(Buffer.from([0xff])))`,
  )
  const run = await reprise(['record', '--out', 'run.tape', '--', process.execPath, 'agent.cjs'], { cwd })
  expect(run).toMatchObject({ code: 0, stdout: '60606060 true false\n' })
  expect(await reprise(['replay', 'run.tape'], { cwd })).toMatchObject({ code: 0, stdout: run.stdout })
})

test('msgpackr-extract, with which BullMQ packs its jobs, is harmless', async () => {
  const cwd = await projectWith('msgpackr@1', 'msgpackr-extract@3')
  writeFileSync(
    join(cwd, 'agent.cjs'),
    `const { pack, unpack, isNativeAccelerationEnabled } = require('msgpackr')
     const texts = Array.from({ length: 300 }, (_, n) => 'text ' + n + ' ü'.repeat(n % 40))
     console.log(isNativeAccelerationEnabled, unpack(pack(texts)).join() === texts.join())`,
  )
  const run = await reprise(['record', '--out', 'run.tape', '--', process.execPath, 'agent.cjs'], { cwd })
  expect(run).toMatchObject({ code: 0, stdout: 'true true\n' })
  expect(await reprise(['replay', 'run.tape'], { cwd })).toMatchObject({ code: 0, stdout: run.stdout })
})

test('better-sqlite3 13 in a file is neither read nor written by a replay; in memory it is faithful', async (context) => {
  const node = newerNode('node24')
  if (node === null) return context.skip('node24')
  const cwd = await projectWith('better-sqlite3@13')
  const program = (file: string): string => `
    const db = require('better-sqlite3')(${JSON.stringify(file)})
    db.exec('create table if not exists runs (at)')
    db.prepare('insert into runs values (?)').run(1)
    console.log(db.prepare('select count(*) as n from runs').get().n)`
  writeFileSync(join(cwd, 'agent.cjs'), program('agent.db'))
  expect(await reprise(['record', '--out', 'run.tape', '--', node, 'agent.cjs'], { cwd })).toMatchObject({
    code: 0,
    stdout: '1\n',
  })
  const before = readFileSync(join(cwd, 'agent.db'))
  for (let replay = 0; replay < 3; replay += 1) {
    const { code, stderr } = await reprise(['replay', 'run.tape'], { cwd })
    expect([code, stderr.includes('better-sqlite3: agent.db')]).toEqual([2, true])
  }
  expect(readFileSync(join(cwd, 'agent.db'))).toEqual(before)

  writeFileSync(join(cwd, 'agent.cjs'), program(':memory:'))
  await reprise(['record', '--out', 'run.tape', '--force', '--', node, 'agent.cjs'], { cwd })
  expect(await reprise(['replay', 'run.tape'], { cwd })).toMatchObject({ code: 0, stdout: '1\n' })
  writeFileSync(
    join(cwd, 'agent.cjs'),
    `${program(':memory:')}\nimport('node:fs'); db.exec("attach 'out.db' as o; create table o.t (x)")`,
  )
  const { code, stderr } = await reprise(['replay', 'run.tape'], { cwd })
  expect([code, stderr.includes('better-sqlite3: exec'), existsSync(join(cwd, 'out.db'))]).toEqual([
    2,
    true,
    false,
  ])
})
