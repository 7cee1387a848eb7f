import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'jsonc-parser'
import { expect, test } from 'vitest'
import { tempFolder } from '../../test/support/temp-folder.ts'
import { launchConfiguration, writeLaunch } from './vscode-launch.ts'

const OTHERS = `{
  // My own.
  "version": "0.2.0",
  "configurations": [
    { "name": "server", "type": "node", "request": "launch", "program": "server.js" }, // keep
  ],
  "compounds": [{ "name": "all", "configurations": ["server"] }]
}
`

function folderWith(text: string): { folder: string; path: string } {
  const folder = tempFolder()
  const path = join(folder, '.vscode', 'launch.json')
  mkdirSync(join(folder, '.vscode'))
  writeFileSync(path, text)
  return { folder, path }
}

test('a folder without launch.json gets one with our entry', () => {
  const folder = tempFolder()
  const path = writeLaunch(folder, 9229)
  expect(path).toBe(join(folder, '.vscode', 'launch.json'))
  expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({
    version: '0.2.0',
    configurations: [launchConfiguration(9229)],
  })
})

test('other entries, comments and compounds stay as they are, and our entry is replaced, not repeated', () => {
  const { folder, path } = folderWith(OTHERS)
  writeLaunch(folder, 1111)
  const once = readFileSync(path, 'utf8')
  writeLaunch(folder, 2222)
  const twice = readFileSync(path, 'utf8')
  expect(twice).toBe(once.replace('1111', '2222'))
  const added = JSON.stringify(launchConfiguration(2222), null, 2).replaceAll('\n', '\n    ')
  expect(twice.replace(`\n    ${added},`, '')).toBe(OTHERS)
  expect(twice.match(/Attach to reprise debug/g)).toHaveLength(1)
})

test.each(['{}', '{ // mine\n  "version": "0.2.0"\n}', '{"configurations": []}'])(
  '%s gets our entry',
  (text) => {
    const { folder, path } = folderWith(text)
    writeLaunch(folder, 1)
    expect(parse(readFileSync(path, 'utf8'))).toMatchObject({ configurations: [launchConfiguration(1)] })
  },
)

test.each(['[]', '{"configurations": {}}', '{ "configurations": [', 'null'])(
  '%s is refused and left as it is',
  (text) => {
    const { folder, path } = folderWith(text)
    expect(() => writeLaunch(folder, 1)).toThrow('is not a launch configuration')
    expect(readFileSync(path, 'utf8')).toBe(text)
  },
)
