/**
 * Builds the viewer's page twice with Vite: `dist/viewer/web/index.html` with lazy parts for the local server
 * and static bundles, without inline script or style; and `dist/viewer/web/single.html`, everything in one
 * file, for `reprise view --export`.
 */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
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
  logLevel: 'error',
  clearScreen: false,
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
}
// The first browsers with `light-dark()`: older style sheets would be half as large again.
const target = ['chrome123', 'firefox120', 'safari17.5']
const output = {
  target,
  modulePreload: false,
  reportCompressedSize: false,
  emptyOutDir: true,
  assetsInlineLimit: 0,
  chunkSizeWarningLimit: 1000,
}

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

const read = (name) => readFileSync(`${standaloneDir}${name}`, 'utf8')
const made = readdirSync(standaloneDir).sort()
if (made.join(' ') !== 'standalone.css standalone.js')
  throw new Error(`build-page: the standalone build wrote ${made.join(', ')}`)
// In an inline element these would end it early. Both are escaped by a backslash that means nothing in a
// string, a regular expression or a comment.
const script = read('standalone.js').replaceAll('</script', '<\\/script').replaceAll('<!--', '<\\!--')
const style = read('standalone.css')
if (style.includes('</style')) throw new Error('build-page: the style sheet ends its own element')
const page = readFileSync(`${root}index.html`, 'utf8')
  .replace(/ *<link rel="icon".*\n/, '')
  .replace(/ *<script type="module".*\n/, () => `    <style>${style}</style>\n`)
  .replace(
    '  </body>',
    () => `    <!--reprise-parts-->\n    <script type="module">${script}</script>\n  </body>`,
  )
writeFileSync(`${outDir}single.html`, page)
rmSync(standaloneDir, { recursive: true })
