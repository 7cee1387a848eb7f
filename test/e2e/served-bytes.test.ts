/**
 * The bytes of requests on the connection of the program's server: the recorded program and its replay get the same
 * ones, however the client spells them.
 */
import net from 'node:net'
import { expect, test } from 'vitest'
import { recordServer } from '../support/served-program.ts'

const program = `
import http from 'node:http'
const server = http.createServer((req, res) => {
  const chunks = []
  req.on('data', (chunk) => chunks.push(chunk))
  req.on('end', () => {
    const body = Buffer.concat(chunks).toString()
    console.log(req.method, req.url, req.socket.bytesRead, JSON.stringify(req.rawHeaders), body)
    res.end('answer')
    if (req.url === '/stop') server.close(() => console.log('closed'))
  })
})
server.listen(0, '127.0.0.1', () => console.error('PORT ' + server.address().port + ' PID ' + process.pid))
`

/** Writes each request when the one before it is answered. */
function ask(port: number, requests: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = net.connect(port, '127.0.0.1')
    const left = [...requests]
    let answers = 0
    let got = ''
    const next = (): void => {
      const request = left.shift()
      if (request === undefined) socket.end()
      else {
        answers += request.split('Host').length - 1
        socket.write(request)
      }
    }
    socket.on('connect', next).on('error', reject).on('close', resolve).resume()
    socket.on('data', (bytes) => {
      got += bytes.toString()
      if (got.split('answer').length - 1 === answers) next()
    })
  })
}

test('requests as they came, spelled in another way, and several at once', async () => {
  const plain = 'POST /plain HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nhi'
  const requests = [
    plain,
    plain,
    'GET /none HTTP/1.1\r\nHost: a\r\n\r\n',
    'POST /spaces HTTP/1.1\r\nHost:a\r\nContent-Length:  2 \r\n\r\nhi',
    'POST /chunks HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n02;x=1\r\nhi\r\n0\r\n\r\n',
    `${plain}GET /second HTTP/1.1\r\nHost: a\r\n\r\n${plain}`,
    'GET /stop HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
  ]
  const server = await recordServer(program, ({ port }) => ask(port, requests))
  const { stdout } = server.recorded
  const lines = stdout.trim().split('\n')
  expect(lines.slice(0, 2)).toEqual([
    `POST /plain ${plain.length} ["Host","a","Content-Length","2"] hi`,
    `POST /plain ${2 * plain.length} ["Host","a","Content-Length","2"] hi`,
  ])
  expect(lines).toHaveLength(10)
  expect(await server.replay()).toMatchObject({ code: 0, stdout, report: { verdict: 'faithful' } })
})
