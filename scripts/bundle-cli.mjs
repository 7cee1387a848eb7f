/**
 * Makes three files of the command line: `dist/cli/start.cjs`, which `bin/reprise.js` loads;
 * `dist/cli/cli.cjs`, every command in one piece; and `dist/cli/run.cjs`, the commands that run a program.
 * And what V8 makes of the last two for a recording and a replay, for the Node that builds. The modules that
 * tsc made stay as they are: commands name files next to them.
 *
 * Decision 0520.
 */
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { asciiOnly } from './ascii-only.mjs'
import { nodeModulesPlugin } from './node-modules-plugin.mjs'

const dist = fileURLToPath(new URL('../dist/', import.meta.url))
const folder = `${dist}cli/`
const commander = new URL('../node_modules/commander/', import.meta.url)
const shared = {
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'cjs',
  legalComments: 'none',
  logLevel: 'warning',
}

await build({ ...shared, entryPoints: [`${dist}cli/start.js`], outfile: `${dist}cli/start.cjs` })

await bundle('main.js', 'cli.cjs', [])
await bundle('run-main.js', 'run.cjs', [leftOut()])

const compile = fileURLToPath(new URL('./compile-cli.mjs', import.meta.url))
for (const file of ['cli.cjs', 'run.cjs']) {
  const { status } = spawnSync(process.execPath, [compile, folder + file], {
    stdio: ['ignore', 'ignore', 'inherit'],
    // What the commands themselves would store: the file below has more.
    env: { ...process.env, NODE_DISABLE_COMPILE_CACHE: '1' },
  })
  if (status !== 0) throw new Error(`bundle-cli: ${file} did not start`)
}

async function bundle(entry, file, plugins) {
  const outfile = folder + file
  await build({
    ...shared,
    entryPoints: [folder + entry],
    outfile,
    packages: 'external',
    banner: {
      js: [
        // One function, as `load-compiled` calls it.
        "(function (exports, require, module, __filename, importModule) {'use strict'",
        'const getBuiltinModule = process.getBuiltinModule.bind(process)',
        "const bundleUrl = getBuiltinModule('node:url').pathToFileURL(__filename)",
        `/* In this file: commander.\n${readFileSync(new URL('LICENSE', commander), 'utf8')}*/`,
      ].join('\n'),
    },
    footer: { js: '})' },
    plugins: [...plugins, ownUrls(), bundledCommander(), nodeModulesPlugin(dist)],
  })
  // `load-compiled` reads plain ASCII. esbuild escapes texts, and leaves regular expressions as they are.
  writeFileSync(outfile, asciiOnly(readFileSync(outfile, 'utf8')))
}

/** Modules of options that only the whole command line takes (`wholeOnly`). */
function leftOut() {
  return {
    name: 'left-out',
    setup({ onLoad }) {
      onLoad({ filter: /[/\\]cli[/\\]show-both\.js$/, namespace: 'file' }, () => ({
        contents: "export function showBoth() { throw new Error('only the whole command line has this') }",
      }))
    },
  }
}

/**
 * In the bundle, `import.meta.url` of a module is still the address of the module that tsc made, and a module
 * of Node or of another package is imported by the function that the bundle is given.
 */
function ownUrls() {
  return {
    name: 'own-urls',
    setup({ onLoad }) {
      onLoad({ filter: /\.js$/, namespace: 'file' }, ({ path }) => {
        const text = readFileSync(path, 'utf8')
        if (!/import\.meta\.url|\bimport\(['"][^.]/.test(text)) return undefined
        const url = `new URL(${JSON.stringify(relative(folder, path))}, bundleUrl).href`
        const contents = text
          .replaceAll('import.meta.url', url)
          .replace(/\bimport\((?=['"][^.])/g, 'importModule(')
        return { contents, loader: 'js' }
      })
    },
  }
}

/** The one package that every command needs: loaded from its own files, it took longer than all the rest. */
function bundledCommander() {
  return {
    name: 'bundled-commander',
    setup({ onResolve }) {
      const folder = fileURLToPath(commander)
      onResolve({ filter: /^commander$/ }, () => ({ path: join(folder, 'index.js') }))
      onResolve({ filter: /^\./ }, ({ path, importer, resolveDir }) =>
        importer.startsWith(folder)
          ? { path: `${join(resolveDir, path).replace(/\.js$/, '')}.js` }
          : undefined,
      )
    },
  }
}
