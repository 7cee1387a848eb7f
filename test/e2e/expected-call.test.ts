/** A program that asks for something else is told which call was expected in its place. */
import { expect, test } from 'vitest'
import { startLocalServer } from '../support/local-server.ts'
import { type RecordedProgram, recordProgram } from '../support/recorded-program.ts'

async function recorded(): Promise<{ readonly program: RecordedProgram; readonly source: string }> {
  const server = await startLocalServer()
  const source = `
    import fs from 'node:fs'
    const post = async (body) => (await fetch('${server.url}/echo', { method: 'POST', body: JSON.stringify(body) })).text()
    await post({ question: 1 })
    console.log(fs.existsSync('one'), fs.existsSync('two'))
    await Promise.all([post({ a: 1 }), post({ b: 1 }), post({ c: 1 })])
    await new Promise((resolve) => setTimeout(resolve, 4))`
  const program = await recordProgram(source)
  await server.stop()
  return { program, source }
}

test.each([
  ['a synchronous call', `'one'`, `'other'`, /^exists one$/, /^exists other$/],
  ['the second synchronous call', `'two'`, `'other'`, /^exists two$/, /^exists other$/],
  ['the first request', 'question: 1', 'question: 2', /^POST .*\/echo #/, /^POST .*\/echo #/],
  ['one of three', 'b: 1', 'b: 2', /^POST .*\/echo #/, /^POST .*\/echo #/],
  ['a timer', 'resolve, 4', 'resolve, 5', /^setTimeout 4$/, /^setTimeout 5$/],
])('%s', async (_name, before, after, expected, actual) => {
  const { program, source } = await recorded()
  program.change(source.replace(before, after))
  const { code, report } = await program.replay()
  const [first] = report.divergences
  expect([code, report.verdict, first?.category]).toEqual([2, 'diverged', 'unmatched'])
  expect(first?.expected).toMatch(expected)
  expect(first?.actual).toMatch(actual)
  expect(first?.message).toContain(
    `Replay diverged at record ${first?.seq}: expected ${first?.expected}, got ${first?.actual}`,
  )
})

test('one call more', async () => {
  const { program, source } = await recorded()
  program.change(source.replace('post({ c: 1 })', 'post({ c: 1 }), post({ d: 1 })'))
  const { report } = await program.replay()
  expect(report.divergences[0]).toMatchObject({
    category: 'unmatched',
    expected: expect.stringMatching(/^the answer to POST /),
  })
})
