/**
 * 100,000 hostile keys and session ids: whatever is accepted stays in its session folder, and nothing beside
 * it is read or written.
 */
import { lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve, sep } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  checkSessionId,
  initState,
  isRepriseError,
  normaliseKey,
  resumeState,
} from '../../src/state/index.ts'
import { scaled } from '../support/campaign.ts'
import { tempFolder } from '../support/temp-folder.ts'

const runs = scaled(100_000, 2000)
const SECRET = 'the secret of the outside'

const part = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.constantFrom(
      '..',
      '.',
      '',
      ' ',
      '...',
      '.. ',
      '..\u0000',
      '~',
      '-',
      'a',
      'b',
      'secret',
      'outside',
      'neighbour',
      'link',
      'up',
    ),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      'C:',
      'c:x',
      'Z:..',
      'NUL',
      'CON',
      'aux.txt',
      'com1',
      '\\\\?\\',
      '\\\\server\\share',
      'file:',
      '%2e%2e',
      '%2f',
    ),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      '.agent_state_meta',
      '.AGENT_STATE_META',
      '.agent_state_tmp.reprise',
      'x.agent_state_tmp.',
      '__handoff.json',
      'lock',
    ),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      '\u{1f600}',
      '\u{10ffff}',
      '\ud800',
      '\udfff',
      '\u202e',
      '\ufeff',
      '\u0085',
      '\u2028',
      'é',
      'e\u0301',
      '\uff0e\uff0e',
      '\u2215',
    ),
  },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 12 }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '\0',
      'a\0b',
      '\n',
      '\r',
      '\x1b[2J',
      'x'.repeat(195),
      'x'.repeat(300),
      'é'.repeat(90),
    ),
  },
)
const separator = fc.constantFrom('/', '/', '/', '//', '\\', '/./', '/../', '\0/')
const hostile = fc
  .tuple(
    fc.constantFrom('', '', '/', './', '../', '../../', ' ', '\\'),
    fc.array(fc.tuple(part, separator), { minLength: 1, maxLength: 5 }),
  )
  .map(
    ([start, parts]) =>
      start +
      parts
        .map(([text, between]) => text + between)
        .join('')
        .replace(/[/\\]$/, ''),
  )

type World = { readonly folder: string; readonly root: string; readonly session: string }

function makeWorld(): World {
  const folder = tempFolder()
  const root = join(folder, 'root')
  mkdirSync(join(root, 's'), { recursive: true })
  mkdirSync(join(root, 'neighbour'))
  for (const file of ['secret', 'outside', 'root/secret', 'root/outside', 'root/neighbour/secret'])
    writeFileSync(join(folder, file), SECRET)
  symlinkSync(folder, join(root, 's/up'))
  symlinkSync(join(folder, 'secret'), join(root, 's/link'))
  return { folder, root, session: join(root, 's') }
}

/** Every file outside the session, with what it holds and when it was last touched. */
function outsideOf({ folder, session }: World): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => path !== session && !path.startsWith(session + sep))
    .sort()
    .map((path) => {
      const stat = lstatSync(path)
      return [path, stat.ino, stat.mtimeMs, stat.isFile() ? readFileSync(path, 'utf8') : ''].join(' ')
    })
}

test(`${runs} keys`, async () => {
  const world = makeWorld()
  await using state = await initState(world.root, { sessionId: 's', historyLimit: 1 })
  const before = outsideOf(world)
  let accepted = 0
  let count = 0
  await fc.assert(
    fc.asyncProperty(hostile, async (key) => {
      count += 1
      const normal = orRefused(() => normaliseKey(key))
      if (normal !== null) {
        accepted += 1
        expect(resolve(world.session, normal).startsWith(world.session + sep)).toBe(true)
        expect(
          normal
            .split('/')
            .every(
              (name) => name !== '' && name !== '.' && name !== '..' && !name.includes('.agent_state_tmp'),
            ),
        ).toBe(true)
        expect(normaliseKey(normal)).toBe(normal)
      }
      const found = await state.read(key).catch(refusal)
      expect(found).not.toBe(SECRET)
      // A durable write takes a thousand times longer than a look: one in twenty.
      if (count % 20 !== 0) return
      await state.write(key, wellFormed(key)).catch(refusal)
      const back = await state.read(key).catch(refusal)
      expect(back === null || back === wellFormed(key)).toBe(true)
      await state.delete(key).catch(refusal)
    }),
    { numRuns: runs },
  )
  expect(accepted).toBeGreaterThan(runs / 20)
  expect(runs - accepted).toBeGreaterThan(runs / 20)
  expect(outsideOf(world)).toEqual(before)
  expect(await state.list()).toEqual([])
})

test(`${runs} session ids`, async () => {
  const world = makeWorld()
  const before = outsideOf(world)
  let accepted = 0
  await fc.assert(
    fc.asyncProperty(hostile, async (id) => {
      if (orRefused(() => checkSessionId(id)) !== null) {
        accepted += 1
        expect(resolve(world.root, id)).toBe(join(world.root, id))
        expect(join(world.root, id, '..')).toBe(world.root)
      }
      const state = await resumeState(world.root, id).catch(refusal)
      if (state === null) return
      expect(['s', 'neighbour']).toContain(id)
      await state.close()
    }),
    { numRuns: runs },
  )
  // About one in a hundred is accepted; fewer than a fifth of that would mean that the generator is wrong.
  expect(accepted).toBeGreaterThan(runs / 500)
  expect(outsideOf(world)).toEqual(before)
})

function orRefused<T>(work: () => T): T | null {
  try {
    return work()
  } catch (error) {
    return refusal(error)
  }
}

/** Only an error of ours is a refusal: anything raw is a hole. */
function refusal(error: unknown): null {
  if (!isRepriseError(error) || !/^state-(key|session|link|content)-/.test(error.code)) throw error
  return null
}

function wellFormed(text: string): string {
  return Buffer.from(text, 'utf8').toString('utf8')
}
