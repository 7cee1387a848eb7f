/** The pages on other tools: the measured table is what a new run measures, and each "after" of the migration runs. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { comparePeers, comparisonTable } from '../../scripts/compare/peers.ts'
import { tempFolder } from '../support/temp-folder.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

test('docs/comparison.md has the measured table', { timeout: 600_000 }, async () => {
  const page = readFileSync(join(root, 'docs/comparison.md'), 'utf8')
  expect(page).toContain(comparisonTable(await comparePeers(join(tmpdir(), 'reprise-compare-peers'))))
})

test('every "after" of docs/migration.md runs, and runs again without the service', {
  timeout: 60_000,
}, () => {
  const folder = tempFolder()
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(root, join(folder, 'node_modules/reprise'))
  writeFileSync(
    join(folder, 'weather.mjs'),
    `import { createServer } from 'node:http'
const server = createServer((request, response) => response.end('rain at ' + process.hrtime.bigint()))
if (process.env.CI === undefined) await new Promise((resolve) => server.listen(4123, '127.0.0.1', resolve))
server.unref()
export const weather = async (city) => (await fetch('http://127.0.0.1:4123/' + city)).text()
`,
  )
  const page = readFileSync(join(root, 'docs/migration.md'), 'utf8')
  const files = [...page.matchAll(/```js\n\/\/ after: (\S+)\n(.*?)```/gs)].map(([, name = '', code = '']) => {
    writeFileSync(join(folder, name), code)
    return name
  })
  expect(files).toEqual(['nock.test.mjs', 'polly.test.mjs', 'aimock.test.mjs'])
  const run = (file: string, env: NodeJS.ProcessEnv) =>
    spawnSync(process.execPath, ['--test', file], {
      cwd: folder,
      env: { PATH: process.env.PATH, ...env },
      encoding: 'utf8',
    })
  for (const file of files) {
    const first = run(file, {})
    expect([file, first.status], first.stdout).toEqual([file, 0])
    if (file === 'polly.test.mjs') continue
    const again = run(file, { CI: 'true' })
    expect([file, again.status], again.stdout).toEqual([file, 0])
    expect(again.stdout).toContain('replayed: ')
  }
})
