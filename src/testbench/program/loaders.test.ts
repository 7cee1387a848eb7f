import { expect, test } from 'vitest'
import { loaderPackages } from './loaders.ts'

const dependencies = (name: string): string[] => (name === 'tsx' ? ['esbuild'] : [])

test.each<[words: string, packages: string]>([
  ['--import tsx', 'tsx esbuild'],
  ['--import=tsx/esm', 'tsx esbuild'],
  [
    '--require /app/node_modules/tsx/dist/preflight.cjs --import file:///app/node_modules/tsx/dist/loader.mjs',
    'tsx esbuild',
  ],
  ['--loader ts-node/esm --no-warnings', 'ts-node'],
  ['-r @swc-node/register', '@swc-node/register'],
  ['--import ./setup.mjs --require /app/setup.cjs --import data:text/javascript,1', ''],
  ['--import reprise/register --enable-source-maps', ''],
])('%s', (words, packages) => {
  expect([...loaderPackages(words.split(' '), dependencies)].join(' ')).toBe(packages)
})
