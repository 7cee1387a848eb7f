/** Yarn Plug'n'Play: packages are read from zip files, by a module that Node loads before us. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { reprise } from '../support/cli.ts'
import { tempFolder } from '../support/temp-folder.ts'

/**
 * What `.pnp.cjs` does that a recording sees: it replaces `process.emit`, and reads the cache with the
 * functions of `fs`.
 */
const PNP = `
  const emit = process.emit
  process.emit = function (name, ...args) {
    return name === 'warning' ? false : emit.call(process, name, ...args)
  }
  const fs = require('node:fs')
  const { readFileSync } = fs
  const cached = (path) => (/ms\\/package\\.json$/.test(path) ? __dirname + '/.yarn/cache/ms.zip' : path)
  let reads = 0
  fs.readFileSync = (path, ...rest) => {
    if (reads++ === 0) fs.closeSync(fs.openSync(__dirname + '/.yarn/cache/ms.zip', 'r'))
    return readFileSync(typeof path === 'string' ? cached(path) : path, ...rest)
  }
`
const AGENT = `
  const fs = require('node:fs')
  console.log(fs.readFileSync('ms/package.json', 'utf8'), fs.readFileSync('data.txt', 'utf8'), Date.now())
  fs.promises.readFile('.yarn/cache/ms.zip').then(() => console.log(Math.random(), Date.now()))
`

test('a program with .pnp.cjs is sealed and faithful', async () => {
  const folder = tempFolder()
  mkdirSync(join(folder, '.yarn/cache'), { recursive: true })
  writeFileSync(join(folder, '.yarn/cache/ms.zip'), 'zip')
  writeFileSync(join(folder, '.pnp.cjs'), PNP)
  writeFileSync(join(folder, 'data.txt'), 'data')
  writeFileSync(join(folder, 'agent.cjs'), AGENT)
  const options = {
    cwd: folder,
    env: { ...process.env, NODE_OPTIONS: `--require ${join(folder, '.pnp.cjs')}` },
  }
  const recorded = await reprise(
    ['record', '--out', 'run.tape', '--', process.execPath, 'agent.cjs'],
    options,
  )
  expect([recorded.code, recorded.stderr]).toEqual([0, ''])
  for (let round = 0; round < 2; round += 1) {
    const replay = await reprise(['replay', 'run.tape'], options)
    expect([replay.code, replay.stderr]).toEqual([0, ''])
    expect(replay.stdout).toBe(recorded.stdout)
  }
})
