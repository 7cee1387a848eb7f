/**
 * Native addons: one of the table is loaded; any other is a gap, and refused in a replay unless someone
 * vouched for it.
 */
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { record as recordPart, replay as replayPart, testbench } from '../../src/testbench/index.ts'
import { reprise } from '../support/cli.ts'
import { tempFolder } from '../support/temp-folder.ts'

const modules = fileURLToPath(new URL('../../node_modules/', import.meta.url))
const native = ['@rollup', '@oxc-parser'].flatMap((scope) =>
  readdirSync(join(modules, scope)).flatMap((name) => {
    const folder = join(modules, scope, name)
    const file = readdirSync(folder).find((each) => each.endsWith('.node'))
    return file === undefined ? [] : [{ name: `${scope}/${name}`, folder, file }]
  }),
)

/** A program that loads the addon, as a package with this name. */
function programWith(name: string, version: string): string {
  const [first] = native
  if (first === undefined) throw new Error('no native addon of a development dependency is there')
  const folder = tempFolder()
  const place = join(folder, 'node_modules', name)
  mkdirSync(place, { recursive: true })
  copyFileSync(join(first.folder, first.file), join(place, 'addon.node'))
  writeFileSync(join(place, 'package.json'), JSON.stringify({ name, version, main: 'addon.node' }))
  writeFileSync(join(folder, 'agent.cjs'), `console.log(typeof require(${JSON.stringify(name)}))`)
  return folder
}

async function replayed(cwd: string, ...more: string[]) {
  const { code, stderr } = await reprise(['replay', 'run.tape', '--report', 'report.json', ...more], { cwd })
  return { code, stderr, report: JSON.parse(readFileSync(join(cwd, 'report.json'), 'utf8')) }
}

const record = (cwd: string, ...options: string[]) =>
  reprise(['record', '--out', 'run.tape', ...options, '--', process.execPath, 'agent.cjs'], { cwd })

test('an unknown addon is a gap and refused in a replay', async () => {
  const cwd = programWith('unknown-addon', '1.2.3')
  expect(await record(cwd)).toMatchObject({ code: 0, stdout: 'object\n' })
  const { code, report } = await replayed(cwd)
  expect([code, report.verdict]).toEqual([2, 'unverified'])
  expect(report.gaps).toMatchObject([
    { boundary: 'process', reason: 'native addon unknown-addon 1.2.3 (addon.node)' },
  ])
  expect(report.divergences[0].message).toContain('native addon unknown-addon')
})

test('in a session of the library it is a gap, and refused in a replay', async () => {
  const cwd = programWith('unknown-addon', '1.2.3')
  const load = (): string => {
    const module = { exports: {} }
    process.dlopen(module, join(cwd, 'node_modules/unknown-addon/addon.node'))
    return typeof module.exports
  }
  const tape = join(cwd, 'part.tape')
  expect(await recordPart(tape, load)).toBe('object')
  const gap = { boundary: 'process', reason: 'native addon unknown-addon 1.2.3 (addon.node)' }
  await expect(replayPart(tape, load)).rejects.toThrow('native addon unknown-addon')
  // Swallowed, it counts all the same.
  await expect(
    replayPart(tape, () => {
      try {
        load()
      } catch {
        // As a program with an optional addon does.
      }
    }),
  ).rejects.toThrow('native addon unknown-addon')
  expect((await replayPart(tape, () => undefined)).report).toMatchObject({
    verdict: 'unverified',
    gaps: [gap],
  })

  const other = join(cwd, 'bench.tape')
  await recordPart(other, () => 'loads nothing')
  const session = await testbench({ tape: other, mode: 'replay', process: 'real' }).activate()
  expect(load).toThrow('native addon unknown-addon')
  await expect(session.close()).rejects.toThrow('native addon unknown-addon')
})

test('vouched for when recorded it is loaded; vouched for in the replay alone the verdict is unverified', async () => {
  const cwd = programWith('unknown-addon', '1.2.3')
  await record(cwd, '--allow-addon', 'unknown-addon')
  const [header = ''] = readFileSync(join(cwd, 'run.tape'), 'utf8').split('\n')
  expect(JSON.parse(header).addons).toEqual(['unknown-addon'])
  expect(await replayed(cwd)).toMatchObject({ code: 0, report: { verdict: 'faithful', gaps: [] } })

  writeFileSync(join(cwd, 'agent.cjs'), 'console.log("object")')
  await record(cwd, '--force')
  writeFileSync(join(cwd, 'agent.cjs'), 'console.log(typeof require(["unknown", "addon"].join("-")))')
  expect((await replayed(cwd)).stderr).toContain('native addon unknown-addon')
  const { code, report } = await replayed(cwd, '--allow-addon', 'unknown-addon')
  expect([code, report.verdict]).toEqual([2, 'unverified'])
  expect(report.reasons).toContain(
    'the native addon unknown-addon ran: --allow-addon was given to the replay alone',
  )
})

test.each([
  ['@rollup/rollup-linux-x64-gnu', '4.40.0', 0],
  ['@oxc-parser/binding-linux-x64-gnu', '0.99.0', 0],
  ['@rollup/rollup-linux-x64-gnu', '9.0.0', 2],
])('%s %s is harmless: exit %s', async (name, version, code) => {
  const cwd = programWith(name, version)
  await record(cwd)
  expect((await replayed(cwd)).code).toBe(code)
})

test('a terminal of an addon that process.dlopen loads is refused in a replay', async () => {
  const scope = join(modules, '@lydell')
  const file = readdirSync(scope)
    .map((name) => join(scope, name, 'pty.node'))
    .find((path) => existsSync(path))
  const place = tempFolder()
  const start = (): void => {
    const module = { exports: {} as { fork(...args: unknown[]): unknown } }
    process.dlopen(module, file ?? '')
    const arguments_ = ['/bin/touch', ['escaped'], [], place, 80, 24, -1, -1, true, '', () => undefined]
    // The program swallows the error.
    expect(() => module.exports.fork(...arguments_)).toThrow('a terminal opened past node-pty')
  }
  const tape = join(place, 'run.tape')
  await recordPart(tape, () => undefined)
  await expect(replayPart(tape, start)).rejects.toMatchObject({ code: 'replay-diverged' })
  expect(readdirSync(place)).toEqual(['run.tape'])
})
