import { expect, test } from 'vitest'
import { type LockFiles, tryLock, waitForLock } from './file-lock.ts'

/** Locks in memory. A holder whose name begins with "dead" is dead. */
function memoryLocks(there: Readonly<Record<string, string>>, change: Partial<LockFiles> = {}) {
  const locks = new Map(Object.entries(there))
  const files: LockFiles = {
    create(name) {
      if (locks.has(name)) return false
      locks.set(name, 'me')
      return true
    },
    read: (name) => locks.get(name) ?? null,
    remove: (name) => void locks.delete(name),
    isDead: (holder) => holder.startsWith('dead'),
    rightToRemove: (name) => (name.length < 8 ? `${name}+` : null),
    ...change,
  }
  return { files, locks }
}

test.each([
  ['no lock', {}, 'taken', { lock: 'me' }],
  ['the lock of a living holder', { lock: 'other' }, 'busy', { lock: 'other' }],
  ['the lock of a dead holder', { lock: 'dead' }, 'taken-over', { lock: 'me' }],
  ['a dead takeover of a dead lock', { lock: 'dead', 'lock+': 'dead' }, 'taken-over', { lock: 'me' }],
  [
    'a living takeover of a dead lock',
    { lock: 'dead', 'lock+': 'other' },
    'busy',
    { lock: 'dead', 'lock+': 'other' },
  ],
  [
    'a dead lock without a right left',
    { lock: 'dead', 'lock+': 'dead', 'lock++': 'dead', 'lock+++': 'dead', 'lock++++': 'dead' },
    'busy',
    null,
  ],
] as const)('%s', (_, there, result, after) => {
  const { files, locks } = memoryLocks(there)
  expect(tryLock(files, 'lock')).toBe(result)
  expect(Object.fromEntries(locks)).toEqual(after ?? there)
})

test('a lock that another process replaced before the right was taken is kept', () => {
  const { files, locks } = memoryLocks({ lock: 'dead' })
  const create = (name: string): boolean => {
    if (name === 'lock+') locks.set('lock', 'other')
    return files.create(name)
  }
  expect(tryLock({ ...files, create }, 'lock')).toBe('busy')
  expect(Object.fromEntries(locks)).toEqual({ lock: 'other' })
})

test('a takeover that throws gives its right back', () => {
  const failure = new Error('no space')
  const { files, locks } = memoryLocks(
    { lock: 'dead' },
    {
      onTakeover: () => {
        throw failure
      },
    },
  )
  expect(() => tryLock(files, 'lock')).toThrow(failure)
  expect(Object.fromEntries(locks)).toEqual({ lock: 'dead' })
})

test('a lock that is released between two calls is taken', () => {
  const { files, locks } = memoryLocks({ lock: 'other' })
  const read = (): null => {
    locks.delete('lock')
    return null
  }
  expect(tryLock({ ...files, read }, 'lock')).toBe('taken')
})

test('waiting asks once about a holder that lives, and takes the lock when it is released', async () => {
  const asked: string[] = []
  let creations = 0
  const { files, locks } = memoryLocks({ lock: 'other' }, { isDead: (holder) => asked.push(holder) === 0 })
  const create = (name: string): boolean => {
    creations += 1
    if (creations === 5) locks.delete('lock')
    return files.create(name)
  }
  expect(await waitForLock({ ...files, create }, 'lock', 60_000)).toBe('taken')
  expect(asked).toEqual(['other'])
})

test('waiting ends when the time is up', async () => {
  expect(await waitForLock(memoryLocks({ lock: 'other' }).files, 'lock', 0)).toBe('busy')
})
