import { expect, test } from 'vitest'
import { LARGE_BODY_BYTES, type Session } from '../session.ts'
import { PendingBody } from './pending-body.ts'
import { startUpload } from './upload.ts'

const MIB = 1024 * 1024

/** A body for which the session has no store: it is held. */
const held = (): PendingBody => new PendingBody({} as unknown as Session, [])

/** Yields each buffer once, and overwrites it before it yields the next one. */
async function* reusing(buffers: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  for (const buffer of buffers) {
    yield buffer
    buffer.fill(9)
  }
}

test('a chunk that its source waits for is sent without a copy', async () => {
  const large = new Uint8Array(2 * MIB).fill(1)
  const upload = startUpload(reusing([large]), held(), { wait: (taken) => new Promise(taken) })
  const sent: Uint8Array[] = []
  for await (const chunk of upload.passedOn()) {
    expect(chunk[0]).toBe(1)
    sent.push(chunk)
  }
  expect(sent[0]).toBe(large)
})

test('bytes that the program overwrites later are sent and held as they were', async () => {
  const chunks = [new Uint8Array(10).fill(1), new Uint8Array(2 * MIB).fill(2), new Uint8Array(10).fill(3)]
  const upload = startUpload(reusing(chunks), held(), { wait: (taken) => new Promise(taken) })
  const sent: number[] = []
  for await (const chunk of upload.passedOn()) sent.push(chunk[0] ?? 0)
  await upload.whole
  const { body } = upload.soFar()
  expect([sent, body?.[0], body?.[10], body?.at(-1)]).toEqual([[1, 2, 3], 1, 2, 3])
})

test('a chunk in the queue is copied if its source goes on before it was sent', async () => {
  const upload = startUpload(reusing([new Uint8Array(2 * MIB).fill(1)]), held(), {
    wait: () => new Promise(() => undefined),
  })
  const passed = upload.passedOn()
  // Two turns: the source gives its chunk, and waits.
  await Promise.resolve()
  await Promise.resolve()
  upload.stop()
  await upload.whole
  for await (const chunk of passed) expect(chunk[0]).toBe(1)
})

test('a large body goes to its store without a copy, marked as borrowed', () => {
  const added: [Uint8Array, boolean | undefined][] = []
  const store = { add: (bytes: Uint8Array, isBorrowed?: boolean) => added.push([bytes, isBorrowed]) }
  const body = new PendingBody({ collectBody: () => store } as unknown as Session, [])
  const small = new Uint8Array(10)
  const large = new Uint8Array(LARGE_BODY_BYTES)
  body.add(small, true)
  body.add(large, true)
  expect(added[0]?.[0]).not.toBe(small)
  expect(added[1]?.[0]).toBe(large)
  expect(added.map(([, isBorrowed]) => isBorrowed ?? false)).toEqual([false, true])
})
