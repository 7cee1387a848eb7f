/** What package.json declares for the published package. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('../../', import.meta.url))
const manifest: Readonly<Record<string, unknown>> & { readonly scripts: object } = JSON.parse(
  readFileSync(`${root}package.json`, 'utf8'),
)

test('the package builds before it is packed and runs nothing when it is installed', () => {
  expect(manifest.scripts).toMatchObject({ prepack: 'npm run --silent build' })
  expect(Object.keys(manifest.scripts)).not.toEqual(
    expect.arrayContaining([expect.stringMatching(/^(prepare|(pre|post)?install)$/)]),
  )
})

test.each(['repository', 'homepage', 'bugs', 'keywords'])('package.json has %s', (field) => {
  expect(manifest[field]).toBeTruthy()
})

test('a bundler keeps an import of reprise/register', async () => {
  const { outputFiles } = await build({
    stdin: { contents: "import 'reprise/register'\nconsole.log('agent')", resolveDir: root },
    bundle: true,
    format: 'esm',
    platform: 'node',
    write: false,
    logLevel: 'silent',
  })
  expect(outputFiles[0]?.text).toContain('registerProcess')
})
