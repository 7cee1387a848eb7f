/** Yarn itself, with packages from the registry. */
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { reprise } from '../support/cli.ts'
import { tempFolder } from '../support/temp-folder.ts'

const AGENT = `
  import ms from 'ms'
  import fse from 'fs-extra'
  import { createRequire } from 'node:module'
  import { readFile } from 'node:fs/promises'
  const manifest = JSON.parse(await readFile(createRequire(import.meta.url).resolve('ms/package.json'), 'utf8'))
  console.log(ms('2 days'), manifest.version, Date.now())
  await fse.writeFile('out.txt', String(Math.random()))
  console.log((await fse.readFile('out.txt', 'utf8')).length, Date.now())
`

test('a program that Yarn installed is faithful', async () => {
  const [folder, tool] = [tempFolder(), tempFolder()]
  writeFileSync(join(tool, 'package.json'), '{ "private": true }')
  execFileSync('npm', ['install', '--no-audit', '--no-fund', '@yarnpkg/cli-dist@4.18.1'], { cwd: tool })
  const registry = execFileSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8' }).trim()
  writeFileSync(join(folder, 'package.json'), '{ "name": "agent", "private": true, "type": "module" }')
  writeFileSync(join(folder, 'yarn.lock'), '')
  writeFileSync(
    join(folder, '.yarnrc.yml'),
    `nodeLinker: pnp\nenableTelemetry: false\nunsafeHttpWhitelist: ["*"]\nnpmRegistryServer: "${registry.replace(/\/$/, '')}"\n`,
  )
  writeFileSync(join(folder, 'agent.mjs'), AGENT)
  const yarn = join(tool, 'node_modules/@yarnpkg/cli-dist/bin/yarn.js')
  // Yarn does not read the certificates that npm is set to.
  const cafile = execFileSync('npm', ['config', 'get', 'cafile'], { encoding: 'utf8' }).trim()
  const certificates = cafile === 'null' || cafile === '' ? {} : { YARN_HTTPS_CA_FILE_PATH: cafile }
  execFileSync(process.execPath, [yarn, 'add', 'ms', 'fs-extra'], {
    cwd: folder,
    env: { ...process.env, ...certificates },
  })
  const preloads = `--require ${folder}/.pnp.cjs --experimental-loader file://${folder}/.pnp.loader.mjs`
  const options = { cwd: folder, env: { ...process.env, NODE_OPTIONS: preloads } }
  const recorded = await reprise(
    ['record', '--out', 'run.tape', '--', process.execPath, 'agent.mjs'],
    options,
  )
  expect(recorded.code, recorded.stderr).toBe(0)
  const replay = await reprise(['replay', 'run.tape'], options)
  expect([replay.code, replay.stdout], replay.stderr).toEqual([0, recorded.stdout])
}, 300_000)
