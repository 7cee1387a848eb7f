// Messages one after another over one WebSocket, each answered.
import { once } from 'node:events'
import { WebSocket } from 'ws'

const socket = new WebSocket(`ws://127.0.0.1:${process.env.BENCH_PORT}`)
await once(socket, 'open')
const count = Number(process.env.BENCH_COUNT)
let bytes = 0
for (let n = 0; n < count; n += 1) {
  socket.send(JSON.stringify({ n, text: 'x'.repeat(200) }))
  const [data] = await once(socket, 'message')
  bytes += data.length
}
console.log(bytes)
socket.close()
