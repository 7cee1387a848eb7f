// Requests that somebody else sends, answered until one asks to stop.
import http from 'node:http'

let count = 0
const server = http.createServer((request, response) => {
  count += 1
  const parts = []
  request.on('data', (bytes) => parts.push(bytes))
  request.on('end', () => {
    const body = Buffer.concat(parts)
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ count, length: body.length }))
    if (request.url === '/stop') {
      console.log(count)
      server.close()
      server.closeIdleConnections()
    }
  })
})
server.listen(Number(process.env.BENCH_PORT), '127.0.0.1')
