/**
 * Programs that are started through wrappers and loaders: the program itself is on the tape, the loader is
 * not, and the replay is faithful.
 */
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { inspectTape } from '../../src/tape/index.ts'
import { reprise } from '../support/cli.ts'
import { newerNode } from '../support/newer-node.ts'
import { tempFolder } from '../support/temp-folder.ts'

const modules = new URL('../../node_modules/', import.meta.url).pathname

const AGENT = `
  import { setTimeout as sleep } from 'node:timers/promises'
  type Greeting = { at: number; words: string }
  const greet = (words: string): Greeting => ({ at: Date.now(), words })
  console.log(JSON.stringify([greet('hello'), Math.random(), process.argv.slice(2), process.env.GREETING]))
  await sleep(3)
  console.log((await import('./other.ts')).other(), await new Promise<string>((resolve) => setTimeout(resolve, 2, 'late')))
`

function layOut(): string {
  const folder = tempFolder()
  writeFileSync(join(folder, 'agent.ts'), AGENT)
  writeFileSync(join(folder, 'other.ts'), "export const other = (): string => 'other ' + Math.random()\n")
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({ type: 'module', scripts: { agent: 'tsx agent.ts from npm' } }),
  )
  mkdirSync(join(folder, 'node_modules/.bin'), { recursive: true })
  symlinkSync(join(modules, 'tsx'), join(folder, 'node_modules/tsx'))
  symlinkSync('../tsx/dist/cli.mjs', join(folder, 'node_modules/.bin/tsx'))
  return folder
}

const NODE = process.execPath

const ways: readonly (readonly [name: string, command: readonly string[], notes: number])[] = [
  ['npx tsx', ['npx', 'tsx', 'agent.ts', 'one'], 1],
  ['node --import tsx', [NODE, '--import', 'tsx', 'agent.ts', 'one'], 1],
  ['npm run', ['npm', 'run', '--silent', 'agent'], 1],
  ['env', ['env', 'GREETING=hi', NODE, '--import', 'tsx', 'agent.ts'], 1],
  [
    'node --experimental-strip-types',
    ['node22', '--experimental-strip-types', '--no-warnings', 'agent.ts', 'one'],
    0,
  ],
]

test.for(ways)('%s', async ([, command, notes], context) => {
  const [program = '', ...args] = command
  const node = program.startsWith('node2') ? newerNode(program) : program
  if (node === null) return context.skip(program)
  const folder = layOut()
  const recorded = await reprise(['record', '--out', 'run.tape', '--', node, ...args], { cwd: folder })
  expect(recorded.code, recorded.stderr).toBe(0)
  const tape = join(folder, 'run.tape')
  const summary = inspectTape(tape)
  expect(summary).toMatchObject({
    header: { modules: { 'agent.ts': expect.any(String), 'other.ts': expect.any(String) } },
    gaps: [],
    kinds: { clock_read: 1, random_read: 2, clock_sleep: 2, effect_start: 2 },
  })
  expect(summary.kinds.note ?? 0).toBe(notes)
  const replayed = await reprise(['replay', tape, '--report', join(folder, 'report.json')], {
    cwd: folder,
    env: { PATH: process.env.PATH },
  })
  expect([replayed.code, replayed.stdout, replayed.stderr]).toEqual([0, recorded.stdout, ''])
  expect(JSON.parse(readFileSync(join(folder, 'report.json'), 'utf8')).verdict).toBe('faithful')
  if (notes > 0) {
    const strict = await reprise(['replay', tape, '--strict'], { cwd: folder })
    expect(strict.code).toBe(2)
    expect(strict.stderr).toContain('modules are loaded by tsx, in a thread of its own')
  }
})
