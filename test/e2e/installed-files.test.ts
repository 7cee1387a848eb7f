/**
 * Asynchronous calls about files that are not on the tape: each comes in the place where it came when
 * recorded.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { reprise } from '../support/cli.ts'
import { tempFolder } from '../support/temp-folder.ts'

const PROGRAM = `
  import fs from 'node:fs'
  import { promisify } from 'node:util'
  import { fileURLToPath } from 'node:url'
  const own = fileURLToPath(new URL('./package.json', import.meta.url))
  const seen = []
  const saw = (name) => (value) => void seen.push(name + ' ' + Math.random())
  const jobs = []
  const job = (name, promise) => jobs.push(promise.then(saw(name), saw(name + ' failed')))
  for (let n = 0; n < 8; n += 1) {
    job('readFile', fs.promises.readFile(own, 'utf8').then((text) => JSON.parse(text).name))
    job('callback', promisify(fs.readFile)(own))
    job('stat', fs.promises.stat(own))
    job('missing', fs.promises.access(own + '.no'))
    job('exists', new Promise((done) => fs.exists(own, done)))
    job('handle', fs.promises.open(own).then(async (handle) => {
      saw('opened')()
      await handle.read(Buffer.alloc(10), 0, 10, 0)
      saw('read')()
      await handle.close()
    }))
    job('stream', new Promise((done, fail) => fs.createReadStream(own).on('data', saw('data')).on('close', done).on('error', fail)))
    job('descriptor', new Promise((done) => {
      const fd = fs.openSync(own)
      fs.read(fd, Buffer.alloc(5), 0, 5, 0, () => {
        saw('by descriptor')()
        fs.closeSync(fd)
        done()
      })
    }))
    job('world', fs.promises.readFile('data.txt', 'utf8'))
    job('ignored', fs.promises.appendFile('cache.log', 'x'))
    job('timer', new Promise((done) => setTimeout(done, n % 3)))
  }
  await Promise.all(jobs)
  console.log(seen.join('\\n'))
`

test('an installed program that reads its own files', async () => {
  const folder = tempFolder()
  const installed = join(folder, 'node_modules', 'agent')
  mkdirSync(installed, { recursive: true })
  writeFileSync(join(installed, 'package.json'), '{ "name": "agent", "type": "module" }')
  writeFileSync(join(installed, 'cli.js'), PROGRAM)
  writeFileSync(join(folder, 'data.txt'), 'data')
  const command = ['--', process.execPath, 'node_modules/agent/cli.js']
  const recorded = await reprise(['record', '--out', 'run.tape', '--ignore', 'cache.log', ...command], {
    cwd: folder,
  })
  expect([recorded.code, recorded.stderr]).toEqual([0, ''])
  expect(recorded.stdout).not.toContain('readFile failed')
  for (let round = 0; round < 3; round += 1) {
    const replay = await reprise(['replay', 'run.tape'], { cwd: folder })
    expect([replay.code, replay.stderr]).toEqual([0, ''])
    expect(replay.stdout).toBe(recorded.stdout)
  }
})

test('bytes of an installed and of an ignored file, by every way of reading', async () => {
  const folder = tempFolder()
  mkdirSync(join(folder, 'node_modules/data'), { recursive: true })
  mkdirSync(join(folder, 'cache'))
  for (const name of ['node_modules/data/model.bin', 'node_modules/data/engine.wasm', 'cache/words.bin'])
    writeFileSync(join(folder, name), Buffer.alloc(70_000, name))
  writeFileSync(
    join(folder, 'agent.mjs'),
    `import fs from 'node:fs'
     for (const path of ['node_modules/data/model.bin', 'node_modules/data/engine.wasm', 'cache/words.bin']) {
       const fd = fs.openSync(path)
       console.log(path, fs.readFileSync(path).length, fs.readFileSync(path, 'latin1').length, fs.fstatSync(fd).size, fs.readFileSync(fd).length)
       fs.closeSync(fd)
       console.log((await fs.promises.readFile(path)).length, (await new Promise((done) => fs.readFile(path, (_, bytes) => done(bytes)))).length)
       const handle = await fs.promises.open(path)
       console.log((await handle.stat()).size, (await handle.readFile()).length)
       await handle.close()
     }`,
  )
  const command = ['--', process.execPath, 'agent.mjs']
  const recorded = await reprise(
    ['record', '--quiet', '--out', 'run.tape', '--ignore', 'cache/**', ...command],
    { cwd: folder },
  )
  const replayed = await reprise(['replay', 'run.tape'], { cwd: folder })
  expect([recorded.code, recorded.stdout.match(/70000/g)?.length]).toEqual([0, 24])
  expect([replayed.code, replayed.stderr, replayed.stdout]).toEqual([0, '', recorded.stdout])
})
