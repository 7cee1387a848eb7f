/** The memory of a recorded program, and of its replay, does not grow with the number of its requests. */
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { scaled } from '../support/campaign.ts'
import { recordProgram } from '../support/recorded-program.ts'

const REQUESTS = scaled(100_000, 1500)
/** What is left over after a full collection scatters by this much. */
const SLACK_BYTES = 12 * 1024 * 1024

/** Prints on stderr how much is in use after a fifth of the requests, and at the end. */
const PROGRAM = `
  import { writeSync } from 'node:fs'
  import v8 from 'node:v8'
  import vm from 'node:vm'
  v8.setFlagsFromString('--expose-gc')
  const gc = vm.runInNewContext('gc')
  const requests = Number(process.env.REQUESTS)
  const used = async () => {
    // In several turns of the event loop: what one collection frees may release more in the next turn.
    for (let turn = 0; turn < 4; turn += 1) {
      await new Promise((resolve) => setImmediate(resolve))
      gc()
    }
    return v8.getHeapStatistics().used_heap_size
  }
  let next = 0
  const upTo = (end) => Promise.all(Array.from({ length: 8 }, async () => {
    while (next < end) await (await fetch(process.env.BASE + '/' + next++)).text()
  }))
  await upTo(requests / 5)
  const early = await used()
  await upTo(requests)
  writeSync(2, JSON.stringify([early, await used()]) + '\\n')
  console.log(next)
`

test(`${REQUESTS} requests`, async () => {
  const server = http.createServer((_request, response) => response.end('ok'))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const program = await recordProgram(PROGRAM, {
    BASE: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    REQUESTS: String(REQUESTS),
  })
  server.closeAllConnections()
  server.close()
  expect(program.recorded).toMatchObject({ code: 0, stdout: `${REQUESTS}\n` })
  expect(growth(program.recorded.stderr)).toBeLessThan(SLACK_BYTES)
  const replayed = await program.replay()
  expect(growth(replayed.stderr)).toBeLessThan(SLACK_BYTES)
  expect(replayed.stdout).toBe(`${REQUESTS}\n`)
  // The figures that it prints are those of today; nothing else differs.
  expect(replayed.report.divergences.map(({ category }) => category)).toEqual(['stderr'])
})

/** From the first line that the program wrote to stderr. */
function growth(stderr: string): number {
  const [early = 0, late = 0]: number[] = JSON.parse(stderr.split('\n')[0] ?? '[]')
  return late - early
}
