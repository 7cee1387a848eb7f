/**
 * What is refused of each Node at hand: exactly what the table lists, whether every name is looked at or only
 * the listed ones; and what the table does not have.
 */
import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { coverageRows } from '../../src/boundaries/coverage.ts'
import { refusedIn } from '../../src/boundaries/refusal/refused-calls.ts'
import { enumeratedNodes, isEnumerated } from '../../src/boundaries/refusal/table-of-module.ts'
import { areHarmlessFlags } from '../../src/boundaries/refusal/v8-flags.ts'
import { namesOfNode } from '../../src/real/ask-node.ts'
import { newerNode } from '../support/newer-node.ts'

const built = (file: string): string => new URL(`../../dist/${file}`, import.meta.url).href
const namesProgram = new URL(built('real/print-node-names.js')).pathname

/** Prints the properties that are refused, with every name looked at and with the listed ones. */
const PROGRAM = `
  import { refusedIn } from ${JSON.stringify(built('boundaries/refusal/refused-calls.js'))}
  import { publicModules } from ${JSON.stringify(built('real/module-names.js'))}
  const refused = (isKnown) => publicModules.flatMap((module) => refusedIn(module, isKnown).map(({ property }) => module + ' ' + property))
  console.log(JSON.stringify([refused(false), refused(true)]))`

for (const name of ['this Node', 'node22', 'node24', 'node26']) {
  test(`${name}: the names that are refused are the listed ones`, (context) => {
    const node = name === 'this Node' ? process.execPath : newerNode(name)
    if (node === null) context.skip(name)
    const { stdout, stderr } = spawnSync(
      node ?? '',
      ['--no-warnings', '--input-type=module', '-e', PROGRAM],
      { encoding: 'utf8', env: {} },
    )
    expect(stderr).toBe('')
    const [all, listed]: [string[], string[]] = JSON.parse(stdout)
    expect(all.toSorted()).toEqual(listed.toSorted())
    expect(listed).toContain('v8 writeHeapSnapshot')
    const names = namesOfNode(node ?? '', namesProgram) ?? {}
    const rows = coverageRows().filter(
      (row) => row.mark === 'refused' && names[row.place]?.includes(row.name),
    )
    expect(rows.length).toBeGreaterThan(20)
  })

  test(`${name} is among the Nodes that were enumerated`, (context) => {
    const node = name === 'this Node' ? process.execPath : newerNode(name)
    if (node === null) context.skip(name)
    const version = spawnSync(node ?? '', ['--version'], { encoding: 'utf8' }).stdout.trim()
    const [major = '', minor = ''] = version.slice(1).split('.')
    // A newer minor version than the one that the table was made with is gone through name by name.
    expect(enumeratedNodes[major]).toBeLessThanOrEqual(Number(minor))
  })
}

test('nothing of a module that only computes is refused', () => {
  expect(
    ['path', 'url', 'util', 'buffer', 'constants'].flatMap((module) => refusedIn(module, false)),
  ).toEqual([])
})

test.each([
  ['v20.20.2', true],
  ['v22.1.0', true],
  ['v20.99.0', false],
  ['v27.0.0', false],
  ['v21.0.0', false],
])('%s has only names of the table: %s', (version, known) => {
  expect(isEnumerated(version)).toBe(known)
})

test('a function, an object with functions and a module that the table does not have are refused', () => {
  const program = `
    import path from 'node:path'
    import { refusedIn } from ${JSON.stringify(built('boundaries/refusal/refused-calls.js'))}
    path.fresh = () => 1
    path.table = { inner() {}, value: 1 }
    Object.defineProperty(path, 'late', { get: () => () => 1, configurable: true })
    console.log(refusedIn('path', false).map(({ property }) => property).join(' '))`
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' })
  expect(
    stdout
      .trim()
      .split(' ')
      .filter((name) => name !== 'constructor'),
  ).toEqual(['fresh', 'inner', 'late'])
})

test.each([
  ['--expose-gc', true],
  ['--expose_gc --stack-size=2000', true],
  ['--max-old-space-size=4096', true],
  ['--no-opt', true],
  ['--prof', false],
  ['--logfile=/tmp/escaped', false],
  ['--redirect-code-traces-to=/tmp/escaped', false],
  ['--expose-gc --log-all', false],
  [1, true],
])('V8 flags %s are harmless: %s', (flags, harmless) => {
  expect(areHarmlessFlags(flags)).toBe(harmless)
})
