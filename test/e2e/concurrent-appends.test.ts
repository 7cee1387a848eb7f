/** Pieces that are added to one file at the same time: each is compared, wherever it ends up. */
import { expect, test } from 'vitest'
import { recordProgram } from '../support/recorded-program.ts'

const PROGRAM = `
  import { appendFile, open, readFile } from 'node:fs/promises'
  import { createWriteStream, appendFile as later } from 'node:fs'
  import { once } from 'node:events'
  const text = (n) => 'line ' + n + ' ' + 'x'.repeat(n % 7) + '\\n'
  const WHAT = 'same'
  await Promise.all(Array.from({ length: 40 }, (_, n) => appendFile('log.txt', n === 39 ? WHAT : text(n))))
  await Promise.all(Array.from({ length: 10 }, (_, n) => new Promise((done) => later('log.txt', text(n), done))))
  const streams = [1, 2, 3].map(() => createWriteStream('stream.txt', { flags: 'a' }))
  for (let n = 0; n < 30; n += 1) streams[n % 3].write(n === 29 ? WHAT : text(n))
  await Promise.all(streams.map((stream) => once(stream.end(), 'close')))
  const handles = await Promise.all([1, 2].map(() => open('handle.txt', 'a')))
  await Promise.all(handles.flatMap((handle, n) => [handle.write(text(n)), handle.appendFile(text(n + 2))]))
  for (const handle of handles) await handle.close()
  for (const name of ['log.txt', 'stream.txt', 'handle.txt']) console.log((await readFile(name, 'utf8')).length)
`

test('parallel appends are faithful; a changed piece is found', async () => {
  const program = await recordProgram(PROGRAM)
  expect(program.recorded).toMatchObject({ code: 0, stderr: '' })
  for (let round = 0; round < 2; round += 1) {
    const { report, stdout } = await program.replay()
    expect(report).toMatchObject({ verdict: 'faithful', divergences: [], unused: [] })
    expect(stdout).toBe(program.recorded.stdout)
  }
  for (const changed of ["appendFile('log.txt', n === 39 ? 'other'", "write(n === 29 ? 'other'"]) {
    const original = changed.replace("'other'", 'WHAT')
    expect(PROGRAM).toContain(original)
    program.change(PROGRAM.replace(original, changed))
    const { code, report } = await program.replay()
    expect([code, report.verdict]).toEqual([2, 'diverged'])
    expect(report.divergences[0]?.message).toMatch(/another content/)
  }
})
