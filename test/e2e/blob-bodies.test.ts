/** Bodies that Node reads in turns of its own, sent to a server of the same program. */
import { expect, test } from 'vitest'
import { recordProgram } from '../support/recorded-program.ts'

test('a Blob and a form reach the server after the program has sent them, in the replay too', async () => {
  const program = await recordProgram(`import http from 'node:http'
const server = http.createServer((request, response) => {
  let length = 0
  request.on('data', (bytes) => { length += bytes.length }).on('end', () => response.end('got ' + length))
})
await new Promise((done) => server.listen(0, '127.0.0.1', done))
const url = 'http://127.0.0.1:' + server.address().port
const form = new FormData()
form.append('name', 'value')
form.append('file', new Blob(['the text of a file']), 'file.txt')
for (const body of [new Blob(['x'.repeat(200)]), form]) console.log(await (await fetch(url, { method: 'POST', body })).text())
server.close()
server.closeAllConnections()`)
  expect(program.recorded).toMatchObject({ code: 0, stderr: '' })
  expect(program.recorded.stdout).toMatch(/^got 200\ngot \d+\n$/)
  const { report, stdout } = await program.replay()
  expect(report).toMatchObject({ verdict: 'faithful', divergences: [] })
  expect(stdout).toBe(program.recorded.stdout)
})
