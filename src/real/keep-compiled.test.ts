import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import { tempFolder } from '../../test/support/temp-folder.ts'
import { keepCompiled } from './keep-compiled.ts'
import { compiledPath, loadCompiled } from './load-compiled.ts'

afterEach(() => vi.unstubAllEnvs())

/** Each its own text: V8 remembers those that a process has compiled. */
function script(name: string): string {
  const path = join(tempFolder(), `${name}.cjs`)
  writeFileSync(path, `(function (exports) { exports.name = () => ${JSON.stringify(name)} })`)
  return path
}

test('what is kept is taken by the next load, and a load is kept with the functions that have run', () => {
  const path = script('kept')
  const { script: first } = loadCompiled(path)
  expect(first.cachedDataRejected).toBeUndefined()
  keepCompiled(path, first)
  expect(loadCompiled(path).script.cachedDataRejected).toBe(false)
  expect(readdirSync(join(path, '..'))).toHaveLength(2)
})

test('a file is kept without being run', () => {
  const path = script('unrun')
  keepCompiled(path)
  expect(loadCompiled(path).script.cachedDataRejected).toBe(false)
})

test('what is there stays as it is', () => {
  const path = script('there')
  writeFileSync(compiledPath(path), 'of the build')
  keepCompiled(path)
  expect(readFileSync(compiledPath(path), 'utf8')).toBe('of the build')
})

test('nothing is left behind where it cannot be put in place', () => {
  const path = script('blocked')
  mkdirSync(`${compiledPath(path)}.${process.pid}`)
  keepCompiled(path)
  expect(existsSync(compiledPath(path))).toBe(false)
})

test('nothing is written if the user has turned caches of code off, or the file is not there', () => {
  vi.stubEnv('NODE_DISABLE_COMPILE_CACHE', '1')
  const path = script('off')
  keepCompiled(path)
  expect(existsSync(compiledPath(path))).toBe(false)
  vi.unstubAllEnvs()
  keepCompiled(join(path, '..', 'none.cjs'))
  expect(readdirSync(join(path, '..'))).toEqual(['off.cjs'])
})
