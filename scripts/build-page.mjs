/**
 * Builds the viewer's page twice with Vite: `dist/viewer/web/index.html` with lazy parts for the local server and static bundles, and
 * `standalone.js` with `standalone.css`, one file each, for `reprise view --export`. The page has no inline script and no inline style.
 */
import { copyFileSync, readdirSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'

const root = fileURLToPath(new URL('../src/viewer/web/', import.meta.url))
const outDir = fileURLToPath(new URL('../dist/viewer/web/', import.meta.url))
const standaloneDir = fileURLToPath(new URL('../dist/viewer/standalone/', import.meta.url))

const shared = {
  root,
  configFile: false,
  envDir: false,
  publicDir: false,
  base: './',
  logLevel: 'warn',
  clearScreen: false,
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
}
const output = { target: 'es2023', modulePreload: false, reportCompressedSize: false, emptyOutDir: true, assetsInlineLimit: 0 }

await build({ ...shared, build: { ...output, outDir } })
await build({
  ...shared,
  build: {
    ...output,
    outDir: standaloneDir,
    cssCodeSplit: false,
    rolldownOptions: {
      input: `${root}main.tsx`,
      output: { codeSplitting: false, entryFileNames: 'standalone.js', assetFileNames: 'standalone.[ext]' },
    },
  },
})

const made = readdirSync(standaloneDir).sort()
if (made.join(' ') !== 'standalone.css standalone.js') throw new Error(`build-page: the standalone build wrote ${made.join(', ')}`)
for (const name of made) copyFileSync(`${standaloneDir}${name}`, `${outDir}${name}`)
rmSync(standaloneDir, { recursive: true })
