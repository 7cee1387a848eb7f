import { expect, test } from 'vitest'
import { findCommand, type Machine } from './command-found.ts'
import { optionConflicts } from './node-options.ts'

const files: Record<string, string> = {
  '/usr/bin/node': '\x7fELF',
  '/opt/node22/bin/node': '\x7fELF',
  '/opt/node18/bin/node': '\x7fELF',
  '/usr/bin/env': '\x7fELF',
  '/usr/bin/npm': '#!/usr/bin/env node\n',
  '/usr/bin/npx': '#!/usr/bin/env node\n',
  '/usr/bin/python3': '\x7fELF',
  '/usr/bin/tool': '#!/bin/sh\nexec node "$@"\n',
  '/app/package.json': JSON.stringify({
    scripts: { agent: 'tsx agent.ts', both: 'a && b', node: 'node agent.mjs' },
  }),
  '/app/agent.mjs': '',
  '/app/agent.ts': '',
  '/app/node_modules/.bin/tsx': '#!/usr/bin/env node\n',
  '/app/node_modules/.bin/cli': '#!/usr/bin/env node\n',
}

const machine: Machine = {
  cwd: '/app',
  path: '/usr/bin',
  read: (file) => files[file] ?? null,
  isProgram: (file) => Object.hasOwn(files, file) && /\/(?:bin|\.bin)\//.test(file),
  realPath: (file) => (file.endsWith('/tsx') ? '/app/node_modules/tsx/dist/cli.mjs' : file),
  nodeVersion: (program) =>
    /node(\d\d)/.test(program)
      ? `v${/node(\d\d)/.exec(program)?.[1]}.6.0`
      : program === '/usr/bin/node'
        ? 'v20.20.2'
        : null,
}

test.each<[words: string, found: object]>([
  [
    'node agent.mjs --flag',
    { wrappers: [], node: { version: 'v20.20.2' }, script: '/app/agent.mjs', problems: [] },
  ],
  ['node --import tsx agent.ts', { script: '/app/agent.ts', problems: [] }],
  ['node agent.ts', { problems: ['Node v20.20.2 does not run TypeScript without a loader'] }],
  [
    '/opt/node22/bin/node --experimental-strip-types agent.ts',
    { node: { version: 'v22.6.0' }, problems: [] },
  ],
  ['/opt/node18/bin/node agent.mjs', { problems: ['Node v18.6.0 is too old'] }],
  ['node --expose-gc agent.mjs', { nodeFlags: ['--expose-gc'], problems: [] }],
  ['node -e 1', { script: null, problems: [] }],
  ['node', { problems: ['it names no script'] }],
  ['node none.mjs', { problems: ['the script none.mjs is not there'] }],
  ['env A=1 -u B node agent.mjs', { wrappers: ['env'], problems: ['B: there is no such program'] }],
  ['env A=1 node agent.mjs', { wrappers: ['env'], script: '/app/agent.mjs', problems: [] }],
  ['npx tsx agent.ts', { wrappers: ['npx', 'tsx'], script: '/app/agent.ts', problems: [] }],
  ['npm run agent', { wrappers: ['npm', 'tsx'], script: '/app/agent.ts', problems: [] }],
  ['npm run node', { wrappers: ['npm'], script: '/app/agent.mjs', problems: [] }],
  ['npm run both', { problems: ['npm run both: "a && b" is more than one simple command'] }],
  ['npm run none', { problems: ['npm: package.json has no script "none"'] }],
  ['npx cli', { wrappers: ['npx'], script: '/app/node_modules/.bin/cli', problems: [] }],
  ['python3 x.py', { node: null, problems: ['python3 is a native program, not Node'] }],
  ['tool x', { problems: ['tool is a script for sh, not Node'] }],
  ['nothing', { problems: ['nothing: there is no such program'] }],
])('%s', (words, found) => {
  expect(findCommand(words.split(' '), machine)).toMatchObject(found)
})

test.each([
  ['', undefined, []],
  ['--max-old-space-size=4096', '', []],
  ['--frozen-intrinsics --enable-source-maps', undefined, ['--frozen-intrinsics']],
  [
    '--permission --import reprise/register',
    'record',
    ['--permission', 'reprise/register', 'REPRISE_MODE=record'],
  ],
])('NODE_OPTIONS=%j, REPRISE_MODE=%j', (options, mode, conflicts) => {
  expect(optionConflicts(options, mode).map(({ option }) => option)).toEqual(conflicts)
})
