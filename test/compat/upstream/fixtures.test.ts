/**
 * Files that the original systems wrote, each used as a person would use it. The other test files here have
 * the rest of them.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { reprise } from '../../support/cli.ts'
import { tempFolder } from '../../support/temp-folder.ts'

const fixture = (name: string): string => join(import.meta.dirname, '../../fixtures', name)

test.each(['tape/harn-0.8.4.tape', 'tape/harn-0.8.26-replay-fidelity.tape'])('%s verifies', async (name) => {
  expect(await reprise(['verify', fixture(name)])).toMatchObject({ code: 0 })
})

test('annotations of Harn check clean against their tape, and are exported', async () => {
  const sidecar = fixture('tape/harn-annotations.jsonl')
  expect(
    await reprise(['annotations', 'check', sidecar, '--tape', fixture('tape/harn-0.8.4.tape')]),
  ).toMatchObject({ code: 0 })
  const { code, stdout } = await reprise(['annotations', 'export', sidecar])
  expect([code, stdout.trimEnd().split('\n').length]).toEqual([0, 5])
})

test('a process tape of Harn is imported, exported to equal JSON, and drives a Node program', async () => {
  const folder = tempFolder()
  const original = fixture('tape/harn-process-tape.json')
  expect(
    await reprise(['import', 'process-tape', original, '--out', 'p.tape'], { cwd: folder }),
  ).toMatchObject({ code: 0 })
  expect(
    await reprise(['export', 'process-tape', 'p.tape', '--out', 'p.json'], { cwd: folder }),
  ).toMatchObject({ code: 0 })
  expect(JSON.parse(readFileSync(join(folder, 'p.json'), 'utf8'))).toEqual(
    JSON.parse(readFileSync(original, 'utf8')),
  )
  const calls = "execFileSync('git', ['status'], text) + execFileSync('echo', ['hi'], text)"
  const source = `import { execFileSync } from 'node:child_process'\nconst text = { encoding: 'utf8' }\nconsole.log(${calls})`
  writeFileSync(join(folder, 'agent.mjs'), source)
  const run = await reprise(['replay', 'p.tape', '--', process.execPath, 'agent.mjs'], { cwd: folder })
  expect(run).toMatchObject({ code: 0, stdout: 'On branch main nothing to commithi\n' })
})

test.each(['pi-model_surface', 'opencode'])('the cassette %s verifies, shows and replays', async (name) => {
  const folder = fixture(`cassette/${name}`)
  expect(await reprise(['cassette', 'verify', folder])).toMatchObject({ code: 0 })
  expect((await reprise(['cassette', 'show', folder])).stdout).not.toBe('')
  expect(await reprise(['cassette', 'replay', folder, '--mode', 'collapsed'])).toMatchObject({ code: 0 })
  const picture = join(tempFolder(), 'screen.svg')
  expect(await reprise(['cassette', 'show', folder, '--svg', picture])).toMatchObject({ code: 0 })
  expect(readFileSync(picture, 'utf8')).toMatch(/<svg [^>]*width="[1-9]/)
})
