import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { isAlive, ownIdentity, presenceOf } from './processes.ts'

const ended = spawnSync(process.execPath, ['-e', '']).pid

test.each([
  ['this process', {}, 'here'],
  ['a process whose start time is not known', { started: '' }, 'here'],
  ['an earlier boot of this host', { boot: 'earlier' }, 'gone'],
  ['a pid that is used again', { started: '1' }, 'gone'],
  ['a process that has ended', { pid: ended }, 'gone'],
  ['a pid that no process can have', { pid: 0 }, 'gone'],
  ['a negative pid, which would be a group', { pid: -1 }, 'gone'],
  ['another host', { host: 'elsewhere', pid: ended }, 'elsewhere'],
  ['another pid namespace', { space: 'pid:[1]', pid: ended }, 'elsewhere'],
] as const)('%s', (_, change, presence) => {
  expect(presenceOf({ ...ownIdentity(), ...change })).toBe(presence)
})

test('a process of another user is alive', () => {
  expect(isAlive(1)).toBe(true)
})
