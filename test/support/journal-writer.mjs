/**
 * One writer process of the journal campaigns: appends events to a session and says each acknowledged one on
 * stdout before it goes on, so that whoever kills it knows what was promised. With `killAt` it kills itself
 * at the n-th pass of a named fault point, in the middle of the real code.
 */
import { writeSync } from 'node:fs'
import { armFaults } from '../../dist/base/index.js'
import { openJournal, openPostgresJournal } from '../../dist/journal/index.js'

const order = JSON.parse(process.argv[2])
const journal =
  order.url === undefined
    ? await openJournal(order.options)
    : await openPostgresJournal({ url: order.url, session: order.session })
if (order.killAt !== undefined) {
  let passes = 0
  armFaults((point) => {
    if (point === order.killAt.point && ++passes === order.killAt.pass) process.kill(process.pid, 'SIGKILL')
  })
}
let next = 0
async function write() {
  while (next < order.count) {
    const n = next
    next += 1
    await journal.append({
      kind: 'tool_gated',
      turn: n,
      call_id: `${order.writer}-${n}`,
      tool: 'shell',
      reason: 'x'.repeat(n % 200),
    })
    if (order.say) writeSync(1, `${n}\n`)
  }
}
await Promise.all(Array.from({ length: order.inFlight }, write))
await journal.close()
