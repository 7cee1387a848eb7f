/**
 * Files that are too large to hold are recorded and compared piece by piece: the tape has the same records, a
 * secret in them is replaced, and a replay finds another content.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { EventTape } from '../../src/tape/index.ts'
import { recordProgram } from '../support/recorded-program.ts'

const SECRET = `sk-ant-api03-${'Ab3dE9'.repeat(14)}`

/** Writes 9 MB by a stream; `last` is its last piece. */
const writer = (last: string, more = '') => `
  import fs from 'node:fs'
  import { Readable } from 'node:stream'
  import { pipeline } from 'node:stream/promises'
  const block = Buffer.alloc(64 * 1024, 'text of a large file\\n')
  function* pieces() {
    for (let at = 0; at < 144; at += 1) yield block
    yield ${JSON.stringify(last)}
  }
  await pipeline(Readable.from(pieces()), fs.createWriteStream('large.txt'))
  ${more}
  console.log(fs.statSync('large.txt').size)
`

test('by a stream, with a secret; another content is found', async () => {
  const program = await recordProgram(writer(`key ${SECRET} end\n`))
  expect(program.recorded.code).toBe(0)
  const tape = EventTape.loadSync(program.tape)
  const write = tape.records.map(({ kind }) => kind).find((kind) => kind.kind === 'file_write')
  expect(write).toMatchObject({ payload: { form: 'cas' } })
  const stored = readFileSync(
    join(`${program.tape}.cas`, write?.kind === 'file_write' ? write.contentHash : ''),
  )
  expect([stored.includes(SECRET), stored.includes('<redacted:')]).toEqual([false, true])
  expect((await program.replay()).report.verdict).toBe('faithful')
  program.change(writer('another end\n'))
  const { report } = await program.replay()
  expect(report).toMatchObject({
    verdict: 'diverged',
    divergences: expect.arrayContaining([expect.objectContaining({ category: 'content' })]),
  })
})

test('a place that is written again', async () => {
  const patch = `
    const file = fs.openSync('large.txt', 'w')
    for (let at = 0; at < 160; at += 1) fs.writeSync(file, block)
    fs.writeSync(file, 'head', 0)
    fs.ftruncateSync(file, 9 * 1024 * 1024)
    fs.closeSync(file)`
  const program = await recordProgram(writer('end\n', patch))
  expect((await program.replay()).report).toMatchObject({ verdict: 'faithful', divergences: [] })
  program.change(writer('end\n', patch.replace("'head'", "'tail'")))
  expect((await program.replay()).report.divergences[0]).toMatchObject({ category: 'content' })
})

test('as a whole', async () => {
  const source = (last: string) => `
    import fs from 'node:fs'
    fs.writeFileSync('large.txt', 'x'.repeat(9e6) + ${JSON.stringify(last)})
    fs.readFileSync('large.txt')`
  const program = await recordProgram(source(`key ${SECRET}`))
  expect((await program.replay()).report.verdict).toBe('faithful')
  program.change(source('another'))
  expect((await program.replay()).report.divergences[0]).toMatchObject({ category: 'content' })
})
