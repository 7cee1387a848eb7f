/**
 * The worked example of docs/architecture.md, "Add a boundary": its blocks are applied to a copy of the
 * source as they are printed, the copy is built, and its command line records and replays the program of the
 * page.
 */
import { cpSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, expect, test } from 'vitest'
import { EventTape } from '../../src/tape/index.ts'
import { type ChildRun, runChild } from '../support/run-child.ts'
import { tempFolder } from '../support/temp-folder.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const page = readFileSync(join(root, 'docs/architecture.md'), 'utf8')
const section = page.slice(page.indexOf('### Add a boundary'))
/** Everything that the build, the layer check and the command line need. */
const COPIED = [
  'src',
  'scripts',
  'bin',
  'schema',
  'docs/architecture.md',
  'package.json',
  'tsconfig.json',
  'tsconfig.build.json',
]

let copy = ''
let work = ''

beforeAll(async () => {
  copy = tempFolder()
  work = tempFolder()
  for (const name of COPIED) cpSync(join(root, name), join(copy, name), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
  for (const [, path = '', code = ''] of section.matchAll(/^New, `(\S+)`:\n\n```ts\n(.*?)^```$/gms)) {
    mkdirSync(dirname(join(copy, path)), { recursive: true })
    // `wx`: a new file replaces no other.
    writeFileSync(join(copy, path), code, { flag: 'wx' })
  }
  await succeed('git', ['apply', '-'], block('diff'))
  await succeed(process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json'])
  await succeed(process.execPath, ['scripts/bundle-register.mjs'])
  await succeed(process.execPath, ['scripts/bundle-cli.mjs'])
  writeFileSync(join(work, 'heap.mjs'), block('js'))
})

test('the example changes at most four existing files, and keeps the layers', async () => {
  const changed = COPIED.flatMap(filesIn).filter(
    (file) => !readFileSync(join(root, file)).equals(readFileSync(join(copy, file))),
  )
  expect(changed).toEqual([
    'src/boundaries/coverage.ts',
    'src/boundaries/names.ts',
    'src/testbench/install/process-boundaries.ts',
    'docs/architecture.md',
  ])
  await succeed(process.execPath, ['node_modules/tsx/dist/cli.mjs', 'scripts/check-layers.ts'])
})

test('the new boundary records its answers and replays them; another question diverges', async () => {
  const recorded = await reprise('record', '--quiet', '--out', 'run.tape', '--', process.execPath, 'heap.mjs')
  expect(recorded).toMatchObject({ code: 0, stderr: '' })
  expect(recorded.stdout).toMatch(/^\d+ ERR_INSPECTOR_COMMAND Inspector error .*\n$/)

  const kinds = EventTape.loadSync(join(work, 'run.tape')).records.map(({ kind }) => kind)
  const lines = block('').trim().split('\n')
  expect(kinds.map(({ kind }) => kind)).toEqual([...lines.map((line) => line.split(' ')[0]), 'tape_seal'])
  expect(
    kinds.flatMap((kind) => (kind.kind === 'effect_start' ? [`${kind.boundary} ${kind.key}`] : [])),
  ).toEqual(['inspector ["Runtime.getHeapUsage"]', 'inspector ["Runtime.evaluate",{}]'])
  expect(kinds.at(-1)).toMatchObject({ boundaries: { inspector: 'captured' } })

  // How much of the heap is in use differs from run to run: the same number is the number of the tape.
  expect(await reprise('replay', 'run.tape')).toMatchObject({ code: 0, stdout: recorded.stdout, stderr: '' })

  writeFileSync(join(work, 'heap.mjs'), block('js').replace('Runtime.getHeapUsage', 'Runtime.getIsolateId'))
  const other = await reprise('replay', 'run.tape')
  expect(other.code).toBe(2)
  expect(other.stderr).toContain(
    'Replay diverged at record 0: expected ["Runtime.getHeapUsage"], got ["Runtime.getIsolateId"]',
  )
})

/** The one block of the section in this language. */
function block(language: string): string {
  const found = [...section.matchAll(/^```(\w*)\n(.*?)^```$/gms)].filter(([, name]) => name === language)
  expect(found).toHaveLength(1)
  return found[0]?.[2] ?? ''
}

function filesIn(name: string): string[] {
  if (!statSync(join(root, name)).isDirectory()) return [name]
  const files = readdirSync(join(root, name), { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  )
  return files.map((entry) => join(entry.parentPath, entry.name).slice(root.length)).sort()
}

async function succeed(program: string, args: readonly string[], input = ''): Promise<void> {
  const { code, stdout, stderr } = await runChild(program, args, { cwd: copy, input })
  expect({ code, output: stdout + stderr }).toMatchObject({ code: 0 })
}

function reprise(...args: readonly string[]): Promise<ChildRun> {
  return runChild(process.execPath, [join(copy, 'bin/reprise.js'), ...args], { cwd: work })
}
