/**
 * With everything patched and in a session, what a program can see besides the values is what plain Node
 * shows.
 */
import { expect, test } from 'vitest'
import { clockPatches } from '../../src/boundaries/clock/index.ts'
import { runInSession } from '../../src/boundaries/context.ts'
import { envPatches } from '../../src/boundaries/env/index.ts'
import { filesPatches } from '../../src/boundaries/files/index.ts'
import { installPatches } from '../../src/boundaries/patches.ts'
import { randomPatches } from '../../src/boundaries/random/index.ts'
import { recordingSession } from '../support/fake-session.ts'
import { dates, delays, environment, handles, refusals, type Surface, shapes } from './surface.ts'

const patches = [...clockPatches(), ...randomPatches(), ...envPatches(), ...filesPatches()]
/**
 * Plain values that become getters while patched; and old names of `randomBytes`, whose getters replace
 * themselves.
 */
const GETTERS = new Set(['arch', 'pid', 'platform', 'ppid', 'pseudoRandomBytes', 'prng', 'rng'])

const surfaces: readonly (readonly [name: string, look: () => Surface | Promise<Surface>])[] = [
  [
    'shape of every patched property',
    () => shapes(patches.filter(({ property }) => typeof property !== 'string' || !GETTERS.has(property))),
  ],
  ['refusals', refusals],
  ['delays', delays],
  ['timer objects', handles],
  ['Date', dates],
  ['process.env', environment],
]

test.each(surfaces)('%s', async (_name, look) => {
  // Some warnings are given once per process: the first look uses them up.
  await look()
  const plain = await look()
  using _installed = installPatches(patches)
  expect(await runInSession(recordingSession(), look)).toEqual(plain)
  expect(await look(), 'patched, outside a session').toEqual(plain)
})
