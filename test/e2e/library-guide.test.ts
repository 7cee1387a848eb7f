/** The examples of docs/guides/library.md run, and print what their comments say. */
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runChild } from '../support/run-child.ts'
import { tempFolder } from '../support/temp-folder.ts'

const root = new URL('../../', import.meta.url).pathname
const page = readFileSync(join(root, 'docs/guides/library.md'), 'utf8')
const examples = [...page.matchAll(/```js\n([\s\S]*?)```/g)].map(([, code = '']) => code)

test('there are examples', () => expect(examples).toHaveLength(3))

for (const [at, code] of examples.entries()) {
  test(`example ${at + 1}`, async () => {
    const folder = tempFolder()
    mkdirSync(join(folder, 'node_modules'))
    symlinkSync(root.slice(0, -1), join(folder, 'node_modules/reprise'))
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
    writeFileSync(join(folder, 'example.mts'), code)
    // By tsx, which compiles `await using` for the oldest Node.
    const run = await runChild(
      process.execPath,
      [join(root, 'node_modules/tsx/dist/cli.mjs'), 'example.mts'],
      { cwd: folder },
    )
    const said = [...code.matchAll(/console\.log\(.*\) \/\/ (.*)$/gm)].map(([, text]) => text)
    expect(run.stderr).toBe('')
    expect(run.stdout.trim().split('\n')).toEqual(said)
  })
}
