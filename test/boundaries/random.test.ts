/** Randomness in a session: every function that gives some, on the tape as it was given. */
import crypto, {
  getRandomValues,
  randomBytes,
  randomFill,
  randomFillSync,
  randomInt,
  randomUUID,
} from 'node:crypto'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { runInSession } from '../../src/boundaries/context.ts'
import { installPatches } from '../../src/boundaries/patches.ts'
import { randomPatches, useRandomSource } from '../../src/boundaries/random/index.ts'
import { names, recordAndReplay, recordingSession } from '../support/fake-session.ts'

const run = <T>(program: () => T | Promise<T>) => recordAndReplay(randomPatches(), program)
const web = globalThis.crypto

const draws: readonly (readonly [name: string, draw: () => unknown, crossings: readonly string[]])[] = [
  ['Math.random', () => Math.random(), ['random Math.random']],
  ['randomBytes', () => crypto.randomBytes(8).toString('hex'), ['random crypto.randomBytes']],
  ['randomBytes, named', () => randomBytes(8).toString('hex'), ['random crypto.randomBytes']],
  ['randomBytes with a fraction', () => randomBytes(2.7).length, ['random crypto.randomBytes']],
  ['pseudoRandomBytes', () => crypto.pseudoRandomBytes(8).toString('hex'), ['random crypto.randomBytes']],
  [
    'randomInt',
    () => [randomInt(1_000_000), randomInt(-5, 2 ** 47)],
    ['random crypto.randomInt', 'random crypto.randomInt'],
  ],
  [
    'randomUUID',
    () => [randomUUID(), randomUUID({ disableEntropyCache: true })],
    ['random crypto.randomUUID', 'random crypto.randomUUID'],
  ],
  ['randomUUID of the web', () => web.randomUUID(), ['random crypto.randomUUID']],
  ['randomFillSync', () => [...randomFillSync(new Uint8Array(6), 2, 3)], ['random crypto.randomFillSync']],
  [
    'randomFillSync by elements',
    () => [...randomFillSync(new Uint16Array(4), 1, 2)],
    ['random crypto.randomFillSync'],
  ],
  ['randomFillSync of memory', () => memoryFilled(6).join(), ['random crypto.randomFillSync']],
  ['getRandomValues', () => [...web.getRandomValues(new Uint32Array(2))], ['random crypto.getRandomValues']],
  [
    'getRandomValues of node:crypto',
    () => crypto.getRandomValues(new Uint8Array(4)).join(),
    ['random crypto.getRandomValues'],
  ],
  [
    'getRandomValues, named',
    () => getRandomValues(new Uint8Array(4)).join(),
    ['random crypto.getRandomValues'],
  ],
  [
    'randomBytes to a callback',
    async () => (await promisify(randomBytes)(8)).toString('hex'),
    ['start randomBytes 8', 'deliver 1', 'deliver 1'],
  ],
  [
    'randomInt to a callback',
    () => new Promise((done) => randomInt(1, 1e9, (_error, n) => done(n))),
    ['start randomInt 1 1000000000', 'deliver 1', 'deliver 1'],
  ],
  [
    'randomInt up to, to a callback',
    () => new Promise((done) => randomInt(1e9, (_error, n) => done(n))),
    ['start randomInt 0 1000000000', 'deliver 1', 'deliver 1'],
  ],
  [
    'randomFill to a callback',
    () => new Promise((done) => randomFill(new Uint8Array(6), 1, 4, (_error, filled) => done(filled.join()))),
    ['start randomFill 4', 'deliver 1', 'deliver 1'],
  ],
]

function memoryFilled(size: number): Uint8Array {
  const memory = new ArrayBuffer(size)
  Reflect.apply(randomFillSync, undefined, [memory])
  return new Uint8Array(memory)
}

test.each(draws)('%s', async (_name, draw, expected) => {
  const { recorded, replayed, crossings, left } = await run(draw)
  expect(replayed).toEqual(recorded)
  expect(names(crossings)).toEqual(expected)
  expect(left).toEqual([])
})

test('values have the shape of the originals', async () => {
  const { recorded } = await run(() => ({
    uuid: randomUUID(),
    bytes: randomBytes(3),
    filled: [...randomFillSync(new Uint8Array([9, 9, 9, 9]), 3)].slice(0, 3),
    double: Math.random(),
    integers: Array.from({ length: 200 }, () => randomInt(3, 6)),
  }))
  expect(recorded.uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  expect(Buffer.isBuffer(recorded.bytes)).toBe(true)
  expect([recorded.bytes.length, recorded.bytes.byteOffset, recorded.bytes.buffer.byteLength]).toEqual([
    3, 0, 3,
  ])
  expect(recorded.filled).toEqual([9, 9, 9])
  expect(recorded.double).toBeGreaterThanOrEqual(0)
  expect(recorded.double).toBeLessThan(1)
  expect(new Set(recorded.integers)).toEqual(new Set([3, 4, 5]))
})

const refused: readonly (readonly [name: string, call: () => unknown])[] = [
  ['randomBytes(-1)', () => randomBytes(-1)],
  ["randomBytes('8')", () => randomBytes('8' as never)],
  ['randomBytes(8, null)', () => randomBytes(8, null as never)],
  ['randomInt(5, 5)', () => randomInt(5, 5)],
  ['randomInt(0, 2 ** 48)', () => randomInt(0, 2 ** 48)],
  ['randomInt(0.5)', () => randomInt(0.5)],
  ['randomUUID(null)', () => randomUUID(null as never)],
  ['randomUUID({ disableEntropyCache: 1 })', () => randomUUID({ disableEntropyCache: 1 as never })],
  ['randomFillSync([])', () => randomFillSync([] as never)],
  ['randomFillSync(bytes, 9)', () => randomFillSync(new Uint8Array(8), 9)],
  ['randomFillSync(bytes, 4, 5)', () => randomFillSync(new Uint8Array(8), 4, 5)],
  ['randomFill(bytes) without a callback', () => randomFill(new Uint8Array(8), undefined as never)],
  ['getRandomValues(floats)', () => web.getRandomValues(new Float32Array(1) as never)],
  ['getRandomValues of too much', () => web.getRandomValues(new Uint8Array(65_537))],
  ['getRandomValues on another object', () => web.getRandomValues.call({} as never, new Uint8Array(1))],
  ['randomUUID on another object', () => web.randomUUID.call({} as never)],
]

test.each(refused)('%s is refused in the words of Node', async (_name, call) => {
  const plain = fault(call)
  const { recorded, crossings } = await run(() => fault(call))
  expect(recorded).toEqual(plain)
  expect(crossings).toEqual([])
})

function fault(call: () => unknown): unknown {
  try {
    call()
    return 'nothing thrown'
  } catch (error) {
    return error instanceof Error
      ? [error.constructor.name, error.name, Reflect.get(error, 'code'), error.message]
      : error
  }
}

test('a session draws from the source it was given', async () => {
  using _patches = installPatches(randomPatches())
  const session = recordingSession()
  useRandomSource(session, { bytes: (size) => new Uint8Array(size).fill(1), double: () => 0.25 })
  const drawn = await runInSession(session, async () => [
    Math.random(),
    randomBytes(2).toString('hex'),
    randomUUID(),
    randomInt(0, 1000),
    (await promisify(randomBytes)(2)).toString('hex'),
  ])
  expect(drawn).toEqual([0.25, '0101', '01010101-0101-4101-8101-010101010101', 0x010101010101 % 1000, '0101'])
})
