/** Secrets that reach a tape in pieces, or in a text that is cut: nothing of them is left, and the run replays. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { recordProgram } from '../support/recorded-program.ts'

/** Shorter than its placeholder. */
const SECRET = 'Zx81kQ4vTq7LmW'
const STREAM = `
  let size = 0
  for await (const chunk of fs.createReadStream('in.txt', { highWaterMark: 24 })) size += chunk.length
  if (size === 0) throw new Error('nothing was read')`
const PIECES = `
  const descriptor = fs.openSync('in.txt')
  const buffer = Buffer.alloc(8)
  while (fs.readSync(descriptor, buffer) > 0);
  fs.closeSync(descriptor)`

test.for([
  ['as a stream', STREAM],
  ['in pieces that are too small for the placeholder', PIECES],
])('a file with a short secret, read %s, ends at the recorded read', async ([, read]) => {
  const program = await recordProgram(
    `import fs from 'node:fs'\n${read}\nconsole.log('read')`,
    { SERVICE_TOKEN: SECRET },
    'agent.mjs',
    [],
    { 'in.txt': `a ${SECRET} b\n` },
  )
  expect(program.recorded.stdout).toBe('read\n')
  expect(readFileSync(program.tape, 'utf8')).not.toContain(SECRET)
  const { code, stderr, report } = await program.replay()
  expect(code, stderr).toBe(0)
  expect(report.verdict).toBe('faithful')
})

test('the note about a child without a tape has nothing of a secret that it cuts', async () => {
  const key = ['-----BEGIN PRIVATE KEY-----', 'Qw3rT9uIoP'.repeat(20), '-----END PRIVATE KEY-----'].join('\n')
  const argument = encodeURIComponent(encodeURIComponent(key))
  const program = await recordProgram(`
    import { spawnSync } from 'node:child_process'
    spawnSync('sh', ['-c', 'true', 'node', ${JSON.stringify(argument)}])`)
  const tape = readFileSync(program.tape, 'utf8')
  expect(tape).toContain('the Node child was not recorded')
  expect(tape).not.toContain('Qw3rT9')
})

/** The recording has given more bytes than it has written when the key is over; the rest must stay apart. */
test('a key that is longer than its placeholder, byte by byte, and text after it', async () => {
  const key = ['-----BEGIN PRIVATE KEY-----', 'Qw3rT9uIoP'.repeat(20), '-----END PRIVATE KEY-----'].join(
    '\\n',
  )
  const program = await recordProgram(`
    import http from 'node:http'
    const text = Buffer.from('data: {"key":"${key.replaceAll('\\', '\\\\')}"}\\n\\ndata: next\\n\\ndata: done\\n\\n')
    const server = http.createServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      let at = 0
      const write = () => {
        if (at >= text.length) return response.end()
        response.write(text.subarray(at, ++at))
        setImmediate(write)
      }
      write()
    })
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
    const answer = await fetch('http://127.0.0.1:' + server.address().port)
    let chunks = 0
    for await (const chunk of answer.body) chunks += chunk.length > 0 ? 1 : 0
    console.log(chunks > 0)
    server.close()`)
  expect(program.recorded.stdout).toBe('true\n')
  expect(readFileSync(program.tape, 'utf8')).not.toContain('Qw3rT9')
  const { report, stderr } = await program.replay()
  expect(report.verdict, stderr).toBe('faithful')
})
