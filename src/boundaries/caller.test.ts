import { expect, test } from 'vitest'
import { callersOf, isOfLoader, packageOf } from './caller.ts'

const tsx = new Set(['tsx', 'esbuild'])
const OURS = '/app/node_modules/reprise/dist/entry/engine.cjs'
const MODULES = 'node:internal/modules/cjs/loader'

test.each<[what: string, frames: string[], isLoaders: boolean]>([
  ['the program', [OURS, OURS, '/app/agent.ts', MODULES], false],
  [
    'the program, loaded by the loader',
    [OURS, '/app/agent.ts', MODULES, 'file:///app/node_modules/tsx/dist/cjs.mjs'],
    false,
  ],
  [
    'a package of the program, loaded by the loader',
    [OURS, '/app/node_modules/openai/index.js', MODULES, '/app/node_modules/tsx/dist/cjs.mjs'],
    false,
  ],
  ['the loader', [OURS, 'file:///app/node_modules/tsx/dist/loader.mjs', MODULES], true],
  [
    'the loader through Node',
    [OURS, 'node:net', 'node:internal/util', '/app/node_modules/tsx/dist/client.mjs'],
    true,
  ],
  [
    'a helper of the loader',
    [OURS, '/app/node_modules/get-tsconfig/dist/index.mjs', '/app/node_modules/tsx/dist/register.mjs'],
    true,
  ],
  ['Node that talks to its loader thread', [OURS, 'node:internal/modules/esm/hooks', '/app/agent.ts'], true],
  ['nobody', [OURS], false],
])('%s', (_what, frames, isLoaders) => {
  expect(isOfLoader(tsx, frames)).toBe(isLoaders)
})

test.each([
  ['/app/node_modules/tsx/dist/x.mjs', 'tsx'],
  ['file:///app/node_modules/@swc-node/register/esm.js', '@swc-node/register'],
  ['/app/node_modules/a/node_modules/b/x.js', 'b'],
  ['/app/agent.ts', null],
])('%s is of %s', (file, name) => expect(packageOf(file)).toBe(name))

test('callers are known while V8 prepares another stack', () => {
  const before = Error.prepareStackTrace
  const seen: string[] = []
  const callee = (): void => void seen.push(...callersOf(callee, 1))
  Error.prepareStackTrace = () => {
    callee()
    return 'prepared'
  }
  try {
    expect(new Error('any').stack).toBe('prepared')
  } finally {
    Error.prepareStackTrace = before
  }
  expect(seen).toHaveLength(1)
  expect(seen[0]).toContain('caller.test.ts')
})
