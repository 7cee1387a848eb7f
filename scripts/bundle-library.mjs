/**
 * Makes the files of `dist/library`, the entries of the package.
 *
 * - `library.cjs`: the whole library in one file, with what V8 makes of it, for the Node that builds.
 * - `originals.cjs`: what must run as soon as an entry is imported, because it captures the functions of Node
 *   before a program or a test replaces them. Also with what V8 makes of it.
 * - `originals.js`: loads `originals.cjs`, and has the function that loads `library.cjs`.
 * - One small ES module for each entry. `reprise` and `reprise/travel` load the library when one of their
 *   functions is first called.
 *
 * The modules that tsc made stay as they are: their types are those of the package.
 *
 * Decisions 0425 and 0540.
 */
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { parseSync } from 'oxc-parser'
import { asciiOnly } from './ascii-only.mjs'
import { nodeModulesPlugin } from './node-modules-plugin.mjs'

const dist = fileURLToPath(new URL('../dist/', import.meta.url))
const folder = `${dist}library/`

const LATE = ['entry/index.js', 'entry/travel.js']
const AT_ONCE = ['cassette', 'fidelity', 'journal', 'scrub', 'state', 'tape'].map(
  (name) => `${name}/index.js`,
)
const RUNNERS = ['jest', 'mocha', 'node-test', 'vitest'].map((name) => `runners/${name}.js`)
/** These run when an entry is imported; there is one of each for all files of this folder. */
const CAPTURES = /^(?:real|errors)\/|^base\/web-assembly\.js$/
/** These are parts of the entries. */
const OF_ENTRIES = /^(?:entry|runners)\//

const shared = {
  bundle: true,
  platform: 'node',
  target: 'node20',
  legalComments: 'none',
  logLevel: 'warning',
  packages: 'external',
}
const getBuiltin = 'const getBuiltinModule = process.getBuiltinModule.bind(process)'

/** Modules of `library.cjs` that the entries use, and those of `originals.js` that it and the entries use. */
const offered = new Set(AT_ONCE)
const captured = new Set()
for (const entry of [...LATE, ...RUNNERS]) collectImports(entry)

// The first build finds out what the second one must have.
await bundle('library.cjs', offered, [capturesPlugin(), packagesPlugin()])
await bundle('originals.cjs', captured, [])

await build({
  ...shared,
  stdin: {
    contents: [
      "import { lateLibrary, loadModules } from './entry/load-library.js'",
      "export const originals = loadModules(import.meta.url, './originals.cjs', {})",
      'export const library = lateLibrary(import.meta.url, originals)',
    ].join('\n'),
    resolveDir: dist,
  },
  outfile: `${folder}originals.js`,
  format: 'esm',
})

for (const path of AT_ONCE) writeFileSync(`${folder}${path.split('/')[0]}.js`, `${fromLibrary(path)}\n`)
for (const path of [...LATE, ...RUNNERS])
  await build({
    ...shared,
    entryPoints: [dist + path],
    outfile: folder + path.split('/')[1],
    format: 'esm',
    banner: { js: getBuiltin },
    // The one import without names is put back below.
    logOverride: { 'ignored-bare-import': 'silent' },
    plugins: [entryPlugin(LATE.includes(path)), nodeModulesPlugin(dist)],
  })

// These begin with it, and what they share is imported after it.
for (const name of ['jest', 'vitest']) {
  const path = `${folder}${name}.js`
  writeFileSync(path, `import '../real/dispose-symbols.js'\n${readFileSync(path, 'utf8')}`)
}

const { status } = spawnSync(
  process.execPath,
  [fileURLToPath(new URL('./compile-library.mjs', import.meta.url))],
  { stdio: ['ignore', 'inherit', 'inherit'] },
)
if (status !== 0) throw new Error('bundle-library: the library did not start')

/** One file of the modules at these paths, as `load-compiled` runs it. */
async function bundle(file, paths, plugins) {
  const outfile = folder + file
  await build({
    ...shared,
    stdin: { contents: `${registry([...paths])}\nexport { modules }`, resolveDir: dist },
    outfile,
    format: 'cjs',
    define: { 'import.meta.url': '__filename' },
    banner: {
      js: `(function (exports, require, module, __filename, importModule, originals) {'use strict'\n${getBuiltin}`,
    },
    footer: { js: '})' },
    plugins: [...plugins, nodeModulesPlugin(dist)],
  })
  writeFileSync(outfile, asciiOnly(readFileSync(outfile, 'utf8')))
}

/** `modules`: the exports of each of these, by the path of its file. */
function registry(paths) {
  return [
    ...paths.map((path, at) => `import * as m${at} from './${path}'`),
    `const modules = { ${paths.map((path, at) => `${JSON.stringify(path)}: m${at}`).join(', ')} }`,
  ].join('\n')
}

function parsed(path) {
  return parseSync(path, readFileSync(dist + path, 'utf8')).module
}

/** The names that a module exports. */
function namesOf(path) {
  return parsed(path).staticExports.flatMap(({ entries }) =>
    entries.flatMap(({ exportName, moduleRequest }) => {
      if (exportName.kind === 'Name') return [exportName.name]
      if (exportName.kind !== 'None' || moduleRequest === null)
        throw new Error(`${path}: a default export is not passed on`)
      return namesOf(join(dirname(path), moduleRequest.value))
    }),
  )
}

function collectImports(path) {
  const { staticImports, staticExports } = parsed(path)
  const requests = [
    ...staticImports.flatMap(({ moduleRequest, entries }) =>
      entries.length === 0 ? [] : [moduleRequest.value],
    ),
    ...staticExports.flatMap(({ entries }) => entries.map(({ moduleRequest }) => moduleRequest?.value)),
  ]
  for (const request of new Set(requests)) {
    if (request === undefined || !request.startsWith('.')) continue
    const used = join(dirname(path), request)
    if (OF_ENTRIES.test(used)) collectImports(used)
    else (CAPTURES.test(used) ? captured : offered).add(used)
  }
}

/** The path in `dist` of a file that another one imports. */
function pathIn({ path, resolveDir }) {
  return relative(dist, resolve(resolveDir, path))
}

function capturesPlugin() {
  return {
    name: 'captures',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^\./ }, (found) => {
        const path = pathIn(found)
        return CAPTURES.test(path) ? { path, namespace: 'captured', sideEffects: false } : undefined
      })
      onLoad({ filter: /./, namespace: 'captured' }, ({ path }) => {
        captured.add(path)
        return { contents: constants(path, `originals[${JSON.stringify(path)}]`) }
      })
    },
  }
}

/** For an entry: its own parts stay, and everything else is asked for. */
function entryPlugin(isLate) {
  return {
    name: 'entry',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^\.\/originals\.js$/ }, ({ path }) => ({ path, external: true }))
      onResolve({ filter: /^\./ }, (found) => {
        const path = pathIn(found)
        if (OF_ENTRIES.test(path)) return undefined
        return { path, namespace: CAPTURES.test(path) ? 'captured' : 'offered', sideEffects: false }
      })
      onLoad({ filter: /./, namespace: 'captured' }, ({ path }) => ({
        contents: `import { originals } from './originals.js'\n${constants(path, `originals[${JSON.stringify(path)}]`)}`,
      }))
      onLoad({ filter: /./, namespace: 'offered' }, ({ path }) => ({
        contents: isLate ? lateFunctions(path) : fromLibrary(path),
      }))
    },
  }
}

function constants(path, modules) {
  return [`const of = ${modules}`, ...namesOf(path).map((name) => `export const ${name} = of.${name}`)].join(
    '\n',
  )
}

function fromLibrary(path) {
  return `import { library } from './originals.js'\n${constants(path, `library()[${JSON.stringify(path)}]`)}`
}

/** `compile-library.mjs` checks that the entries export nothing else of these than functions. */
function lateFunctions(path) {
  const all = namesOf(path).map(
    (name) =>
      `export function ${name}(...args) { return library()[${JSON.stringify(path)}].${name}(...args) }`,
  )
  return ["import { library } from './originals.js'", ...all].join('\n')
}

/** A package is imported by the function that the file is given. */
function packagesPlugin() {
  return {
    name: 'packages',
    setup({ onLoad }) {
      onLoad({ filter: /\.js$/, namespace: 'file' }, ({ path }) => {
        const text = readFileSync(path, 'utf8')
        if (!/\bimport\(['"][^.]/.test(text)) return undefined
        return { contents: text.replace(/\bimport\((?=['"][^.])/g, 'importModule('), loader: 'js' }
      })
    },
  }
}
