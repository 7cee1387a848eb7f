/**
 * An esbuild plugin for a bundle that imports modules of Node. esbuild would copy every property of each,
 * getters and all, when the bundle starts. Here an import is an object that inherits from the module; and a
 * module that Node has not loaded anyway is loaded when one of its names is first read, since most programs
 * use few of them.
 *
 * The bundle must have a function `getBuiltinModule` in scope.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseSync } from 'oxc-parser'

const LOADED_BY_NODE = [
  'async_hooks',
  'buffer',
  'events',
  'fs',
  'module',
  'path',
  'process',
  'timers',
  'url',
  'util',
]
const CAPTURED = ['node:async_hooks', 'node:fs', 'node:path', 'node:url', 'node:util']
const atOnce = new Set(LOADED_BY_NODE.map((name) => `node:${name}`))

/** `folder`: where the files of the bundle are. */
export function nodeModulesPlugin(folder) {
  return {
    name: 'node-modules',
    setup(build) {
      const names = importedNames(folder)
      // A path resolved here belongs to no package for esbuild. In a package with `"type": "module"`,
      // `default` would be the whole of what a module below exports, instead of its `default`.
      build.onResolve({ filter: /^[./]/, namespace: 'file' }, own)
      build.onResolve({ filter: /^[./]/, namespace: '' }, own)
      build.onResolve({ filter: /^node:/ }, ({ path, kind }) =>
        kind === 'import-statement'
          ? { path, namespace: 'node-module', sideEffects: false }
          : { path, external: true },
      )
      build.onLoad({ filter: /^node:/, namespace: 'node-module' }, ({ path }) => ({
        contents: (atOnce.has(path) ? inheriting : onDemand)(path, names.get(path) ?? new Set()),
      }))
    },
  }
}

function own({ path, resolveDir }) {
  return { path: resolve(resolveDir, path), sideEffects: false }
}

/**
 * For each import esbuild makes an object with the same prototype, and copies own properties: here there are
 * none.
 *
 * Functions that the recorder only computes with are captured, and those of `async_hooks`: a program may
 * replace them and read the clock there, which would be recorded as its own read, some of them without end.
 */
function inheriting(name, names) {
  const own = CAPTURED.includes(name) ? [...names].map((each) => `${each}: node.${each},`) : []
  return [
    `const node = getBuiltinModule('${name}')`,
    'module.exports = Object.create({ __proto__: node, __esModule: true, default: node,',
    ...own,
    '})',
  ].join('\n')
}

function onDemand(name, names) {
  const getters = [...names].map((each) => `get ${each}() { return node().${each} },`)
  return [
    'let loaded',
    `const node = () => (loaded ??= getBuiltinModule('${name}'))`,
    'module.exports = Object.create({ __esModule: true, get default() { return node() },',
    ...getters,
    '})',
  ].join('\n')
}

/** The names that the files import from each module of Node. */
function importedNames(folder) {
  const found = new Map()
  for (const file of readdirSync(folder, { recursive: true })) {
    if (!file.endsWith('.js')) continue
    const { staticImports, staticExports } = parseSync(file, readFileSync(join(folder, file), 'utf8')).module
    const imports = staticImports.flatMap(({ moduleRequest, entries }) =>
      entries.map((entry) => ({ ...entry, moduleRequest })),
    )
    for (const { moduleRequest, importName } of [
      ...imports,
      ...staticExports.flatMap(({ entries }) => entries),
    ]) {
      const module = moduleRequest?.value
      if (module === undefined || !module.startsWith('node:') || importName.kind === 'Default') continue
      if (importName.kind !== 'Name')
        throw new Error(`${file}: import the names of ${module} one by one, not all of them`)
      found.set(module, (found.get(module) ?? new Set()).add(importName.name))
    }
  }
  for (const names of found.values()) names.delete('default')
  return found
}
