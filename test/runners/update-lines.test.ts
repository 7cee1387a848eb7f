/** An update of a tape is a small change of its file, so that a review in git shows what changed. */
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { listening } from '../support/listening.ts'
import { runChild } from '../support/run-child.ts'
import { tempFolder } from '../support/temp-folder.ts'

const root = new URL('../../', import.meta.url).pathname
const REQUESTS = 10

test('an update that changes one answer changes a few lines, one that changes none changes nothing', async () => {
  const server = createServer((request, response) => {
    response.setHeader('date', 'Tue, 17 Nov 2026 00:00:00 GMT')
    response.end(`answer to ${request.url}`)
  })
  const { url, stop } = await listening(server)
  onTestFinished(stop)
  const tape = join(tempFolder(), 'run.tape')
  const lines = (): string[] => readFileSync(tape, 'utf8').trimEnd().split('\n')
  const run = async (mode: string, last: string): Promise<string[]> => {
    const source = `import test from 'node:test'\nimport { recorded } from 'reprise/node-test'
      test('asks', recorded({ tape: ${JSON.stringify(tape)} }, async () => {
        const paths = [...Array.from({ length: ${REQUESTS - 1} }, (_, n) => 'p' + n), '${last}']
        for (const path of paths) { Date.now(); await (await fetch('${url}/' + path)).text() }
      }))`
    const env = { ...process.env, CI: '', REPRISE_MODE: mode, NODE_TEST_CONTEXT: undefined }
    const { code, stdout } = await runChild(process.execPath, ['--input-type=module', '-e', source], {
      cwd: root,
      env,
    })
    expect(code, stdout).toBe(0)
    return lines()
  }
  const first = await run('record', 'last')
  expect(first.length).toBeGreaterThan(5 * REQUESTS)
  const same = await run('update', 'last')
  expect(changed(first, same)).toBe(0)
  const other = await run('update', 'other')
  expect(changed(same, other)).toBeLessThanOrEqual(5)
})

function changed(before: readonly string[], after: readonly string[]): number {
  const known = new Set(before)
  return after.filter((line) => !known.has(line)).length
}
