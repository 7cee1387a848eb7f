/** A Node child that ends before it reads the secrets of its parent: the program gets the true result. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { reprise } from '../support/cli.ts'
import { tempFolder } from '../support/temp-folder.ts'

/** More than a pipe takes at once: each child that does not read it breaks it. */
const manySecrets = Object.fromEntries(
  Array.from({ length: 2000 }, (_, at) => [
    `SERVICE_${at}_TOKEN`,
    `${at}q7Zt41LmWx92KdPv83`.padEnd(300, `k${at}Wz`),
  ]),
)

const programs = {
  'at once, 30 times': {
    env: { SERVICE_TOKEN: 'q7Zt41LmWx92KdPv83' },
    text: `
      import { execFileSync } from 'node:child_process'
      const versions = Array.from({ length: 30 }, () => execFileSync('node', ['--version'], { encoding: 'utf8' }))
      console.log(versions.every((version) => version === process.version + '\\n'))`,
    prints: 'true\n',
  },
  'with more secrets than a pipe takes': {
    env: manySecrets,
    text: `
      import { execFile, spawn, spawnSync } from 'node:child_process'
      import { promisify } from 'node:util'
      const show = ({ status, signal, error, stdout, stderr }) =>
        console.log(status, signal, error?.code, stdout.length > 3, stderr.includes('bad option'))
      const options = { encoding: 'utf8' }
      show(spawnSync('node', ['--version'], options))
      show(spawnSync('node', ['--version'], { ...options, input: 'short' }))
      show(spawnSync('node', ['--no-such-option'], options))
      show(spawnSync('node', ['--version'], { ...options, input: 'long'.repeat(1e6) }))
      show(spawnSync('node', ['-e', 'console.log("read")'], options))
      console.log((await promisify(execFile)('node', ['--version'])).stdout === process.version + '\\n')
      spawn('node', ['--no-such-option']).on('error', console.log).on('close', (code) => console.log(code))`,
    prints: `0 null undefined true false
0 null undefined true false
9 null undefined false true
0 null EPIPE true false
0 null undefined true false
true
9
`,
  },
}

test.each(Object.entries(programs))('%s', { timeout: 30_000 }, async (_name, { env, text, prints }) => {
  const folder = tempFolder()
  writeFileSync(join(folder, 'main.mjs'), text)
  const run = { cwd: folder, env: { PATH: process.env.PATH, ...env } }
  const recorded = await reprise(['record', '--out', 'run.tape', '--', process.execPath, 'main.mjs'], run)
  expect([recorded.code, recorded.stdout, recorded.stderr]).toEqual([0, prints, ''])
  const replayed = await reprise(['replay', 'run.tape'], { cwd: folder })
  expect([replayed.code, replayed.stdout]).toEqual([0, prints])
})
