import { expect, test } from 'vitest'
import { changedModules, programModules } from './program-modules.ts'

const files: Record<string, string> = {
  '/app/agent.mjs': `import { a } from './lib/a.js'\nimport './side.mjs'\nexport * from "./b"\nconst c = await import('./c.mjs?x=1')\nimport x from 'openai'`,
  '/app/lib/a.ts': `const d = require('../d')`,
  '/app/side.mjs': '',
  '/app/b/index.js': `import '../agent.mjs'`,
  '/app/c.mjs': `import '../outside.mjs'; import './node_modules/x/y.js'`,
  '/app/d.json': '{}',
  '/outside.mjs': '',
  '/app/node_modules/x/y.js': '',
  '/app/unused.mjs': '',
}
const read = (path: string): Uint8Array | null =>
  Object.hasOwn(files, path) ? Buffer.from(files[path] ?? '') : null

test('every module that the script leads to is there, by its path', () => {
  expect(Object.keys(programModules('/app/agent.mjs', '/app', read).digests)).toEqual([
    'agent.mjs',
    'lib/a.ts',
    'side.mjs',
    'b/index.js',
    'c.mjs',
    'd.json',
    '/outside.mjs',
  ])
})

test('a changed and a missing module are named, also after the project has moved', () => {
  const digests = programModules('/app/agent.mjs', '/app', read).digests
  expect(changedModules(digests, '/app', read)).toEqual([])
  const moved = (path: string): Uint8Array | null => {
    if (path === '/new/d.json') return null
    return path === '/new/side.mjs' ? Buffer.from('changed') : read(path.replace(/^\/new\//, '/app/'))
  }
  expect(changedModules(digests, '/new', moved)).toEqual(['side.mjs', 'd.json'])
})

test('a script that is no file has no modules', () => {
  expect(programModules('/app/none.mjs', '/app', read)).toEqual({ digests: {}, namesFacts: false })
})

test.each([
  ["import { pid } from 'node:process'", true],
  ["import process, { env, platform as os } from 'process'", true],
  ["import { env } from 'node:process'", false],
  ["import { pid } from './process.js'", false],
])('%s', (source, namesFacts) => {
  expect(
    programModules('/a.mjs', '/', (path) => (path === '/a.mjs' ? Buffer.from(source) : null)).namesFacts,
  ).toBe(namesFacts)
})
