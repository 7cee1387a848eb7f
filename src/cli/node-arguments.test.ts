import { expect, test } from 'vitest'
import { untrustedOptions } from './node-arguments.ts'

const installed = (file: string): boolean => file.startsWith('/project/node_modules/')

test.each<[words: string[], untrusted: string[]]>([
  [[], []],
  [
    [
      '--no-warnings',
      '--enable-source-maps',
      '--max-old-space-size=4096',
      '--conditions',
      'dev',
      '--expose-gc',
    ],
    [],
  ],
  [['--experimental-strip-types', '--experimental-vm-modules'], []],
  [['--import', 'tsx'], []],
  [
    [
      '--require',
      '/project/node_modules/tsx/dist/preflight.cjs',
      '--import',
      'file:///project/node_modules/tsx/dist/loader.mjs',
    ],
    [],
  ],
  [['--import', 'data:text/javascript,process.exit()'], ['--import data:text/javascript,process.exit()']],
  [['--import=./setup.mjs'], ['--import ./setup.mjs']],
  [['-r', 'dotenv/config'], ['-r dotenv/config']],
  [
    ['--import', '/elsewhere/node_modules/tsx/dist/loader.mjs'],
    ['--import /elsewhere/node_modules/tsx/dist/loader.mjs'],
  ],
  [
    ['--import', '/project/node_modules/tsx/../../evil.mjs'],
    ['--import /project/node_modules/tsx/../../evil.mjs'],
  ],
  [['--import', 'tsx/../../evil.mjs'], ['--import tsx/../../evil.mjs']],
  [['--experimental-loader', './hooks.mjs'], ['--experimental-loader ./hooks.mjs']],
  [['--env-file=.env'], ['--env-file=.env']],
  [['--inspect=0.0.0.0'], ['--inspect=0.0.0.0']],
  [
    ['--cpu-prof', '--redirect-warnings=/tmp/x'],
    ['--cpu-prof', '--redirect-warnings=/tmp/x'],
  ],
  [
    ['--experimental-config-file=x.json', '--experimental-sea-config'],
    ['--experimental-config-file=x.json', '--experimental-sea-config'],
  ],
  [
    ['--openssl-config=x', '--some-new-flag'],
    ['--openssl-config=x', '--some-new-flag'],
  ],
  // The source itself is judged elsewhere.
  [['-e', 'code', '--input-type=module'], []],
])('%j: not trusted are %j', (words, untrusted) => {
  expect(untrustedOptions(words, installed)).toEqual(untrusted)
})
