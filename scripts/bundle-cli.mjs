/**
 * Makes two files of the command line: `dist/cli/start.cjs`, which `bin/reprise.js` loads, and
 * `dist/cli/cli.cjs`, every command in one piece; and what V8 makes of it for a recording and a replay, for
 * the Node that builds. The modules that tsc made stay as they are: commands name files next to them.
 */
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { asciiOnly } from './ascii-only.mjs'
import { nodeModulesPlugin } from './node-modules-plugin.mjs'

const dist = fileURLToPath(new URL('../dist/', import.meta.url))
const bundle = `${dist}cli/cli.cjs`
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

await build({
  ...shared,
  entryPoints: [`${dist}cli/main.js`],
  outfile: bundle,
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
  plugins: [ownUrls(), bundledCommander(), nodeModulesPlugin(dist)],
})

// `load-compiled` reads plain ASCII. esbuild escapes texts, and leaves regular expressions as they are.
writeFileSync(bundle, asciiOnly(readFileSync(bundle, 'utf8')))

const compile = fileURLToPath(new URL('./compile-cli.mjs', import.meta.url))
const { status } = spawnSync(process.execPath, [compile, bundle], { stdio: ['ignore', 'ignore', 'inherit'] })
if (status !== 0) throw new Error('bundle-cli: the command line did not start')

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
        const url = `new URL(${JSON.stringify(relative(dirname(bundle), path))}, bundleUrl).href`
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
