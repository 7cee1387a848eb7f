/**
 * A session whose clock is not on the tape: the program may be idle for as long as it likes. Time is moved by
 * the test.
 */
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { startLocalServer } from '../../../test/support/local-server.ts'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { realSetTimeout } from '../../real/clock.ts'
import { testbench } from './testbench.ts'

const clock = vi.hoisted(() => ({ aheadMs: 0 }))
vi.mock('../../real/clock.ts', async (importOriginal) => {
  const original = await importOriginal<typeof import('../../real/clock.ts')>()
  return {
    ...original,
    monotonicMs: () => original.monotonicMs() + clock.aheadMs,
    realSetTimeout: vi.fn(original.realSetTimeout),
  }
})

/**
 * Each look of the session at its program sets the timer of the next one; between two of them an hour passes.
 */
async function untilChecked(times: number): Promise<void> {
  const looks = vi.mocked(realSetTimeout).mock.calls
  for (let time = 0; time < times; time += 1) {
    const before = looks.length
    while (looks.length === before) await new Promise((resolve) => setImmediate(resolve))
    clock.aheadMs += 3_600_000
  }
}

test('a program that has its answer and leaves the stream open is not stuck, however long it is idle', async () => {
  const server = await startLocalServer()
  const tape = join(tempFolder(), 'run.tape')
  {
    const session = await testbench({ tape, mode: 'record', network: 'record' }).activate()
    const stream = await fetch(`${server.url}/stream?n=2`)
    await stream.body?.cancel()
    await session.close()
  }
  const session = await testbench({ tape, network: 'replay' }).activate()
  const stream = await fetch(`${server.url}/stream?n=2`)
  await untilChecked(5)
  await stream.body?.cancel()
  expect(await session.close()).toMatchObject({ verdict: 'faithful' })
  await server.stop()
})
