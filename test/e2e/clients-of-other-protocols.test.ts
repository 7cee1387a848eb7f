/** Clients that do not speak the protocol of a recorded server, or leave before they do. */
import { readFileSync } from 'node:fs'
import net from 'node:net'
import { expect, test } from 'vitest'
import { recordServer } from '../support/served-program.ts'

const pem = (name: string): Buffer =>
  readFileSync(new URL(`../fixtures/network/localhost-${name}.pem`, import.meta.url))

const announce = `
const announce = (server) => console.error('PORT ' + server.address().port + ' PID ' + process.pid)
`

test.each(['end', 'destroy'] as const)(
  'a client of TLS that leaves before the handshake: %s',
  async (leave) => {
    const files = { 'key.pem': pem('key'), 'cert.pem': pem('cert') }
    const source = `
import tls from 'node:tls'
import { readFileSync } from 'node:fs'
${announce}
const server = tls.createServer({ key: readFileSync('key.pem'), cert: readFileSync('cert.pem') })
server.once('tlsClientError', (error) => {
  console.log(error.code)
  server.close(() => console.log('closed'))
})
server.listen(0, '127.0.0.1', () => announce(server))`
    const program = await recordServer(
      source,
      ({ port }) =>
        new Promise((resolve) => {
          const socket = net.connect(port, '127.0.0.1').on('error', () => undefined)
          socket.resume().on('close', resolve)
          socket.write(Buffer.from([22, 3, 1]), () => void socket[leave]())
        }),
      { files },
    )
    expect(program.recorded.stdout).toBe('ECONNRESET\nclosed\n')
    expect(await program.replay()).toMatchObject({
      stdout: program.recorded.stdout,
      report: { verdict: 'faithful' },
    })
  },
)

test('a client of HTTP/2 at a server of HTTP/1', async () => {
  const source = `
import http from 'node:http'
${announce}
const server = http.createServer()
server.on('clientError', (error, socket) => {
  console.log(error.code)
  socket.end('HTTP/1.1 400 Bad Request\\r\\n\\r\\n')
  server.close(() => console.log('closed'))
})
server.listen(0, '127.0.0.1', () => announce(server))`
  let answer = ''
  const program = await recordServer(
    source,
    ({ port }) =>
      new Promise((resolve) => {
        const socket = net.connect(port, '127.0.0.1', () => socket.write('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'))
        socket.on('data', (bytes) => {
          answer += bytes
        })
        socket.on('close', resolve)
      }),
  )
  expect([program.recorded.stdout, answer]).toEqual([
    'HPE_PAUSED_H2_UPGRADE\nclosed\n',
    'HTTP/1.1 400 Bad Request\r\n\r\n',
  ])
  expect(await program.replay()).toMatchObject({
    stdout: program.recorded.stdout,
    report: { verdict: 'faithful' },
  })
})
