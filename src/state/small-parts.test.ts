import { describe, expect, test } from 'vitest'
import { parseRoot } from './open-driver.ts'
import { uuidV7 } from './session-id.ts'
import { isVersion } from './version.ts'
import { writerIdentity, writerName } from './writer.ts'

describe('where a root leads', () => {
  const here = process.cwd()
  test.each([
    ['state', { backend: 'filesystem', folder: `${here}/state` }],
    ['/abs/state', { backend: 'filesystem', folder: '/abs/state' }],
    ['file:./state', { backend: 'filesystem', folder: `${here}/state` }],
    ['file:///abs/a%20b', { backend: 'filesystem', folder: '/abs/a b' }],
    ['memory:', { backend: 'memory', name: '' }],
    ['memory:shared', { backend: 'memory', name: 'shared' }],
    ['sqlite:state.db', { backend: 'sqlite', file: `${here}/state.db`, synchronous: 'full' }],
    [
      'sqlite:///abs/state.db?synchronous=normal',
      { backend: 'sqlite', file: '/abs/state.db', synchronous: 'normal' },
    ],
    ['postgres://u:p@h/d', { backend: 'postgres', url: 'postgres://u:p@h/d' }],
    ['postgresql://h/d', { backend: 'postgres', url: 'postgresql://h/d' }],
  ])('%s', (root, place) => {
    expect(parseRoot(root)).toEqual(place)
  })

  test.each([
    '',
    '  ',
    'a\0b',
    'ftp://x',
    'http://x',
    'sqlite:',
    'sqlite:x?synchronous=off',
    'file:',
    'file:%zz',
    'postgres:x',
  ])('refused: %j', (root) => {
    expect(() => parseRoot(root)).toThrow(expect.objectContaining({ code: 'state-url' }))
  })

  test('a refusal does not repeat a password', () => {
    expect(() => parseRoot('postgres:user:topsecret@host')).toThrow(/^(?!.*topsecret)/)
  })
})

test('writer ids default as upstream has it', () => {
  const ids = (options: Parameters<typeof writerIdentity>[0]): unknown => {
    const { writerId, stageId, workerId, sessionId } = writerIdentity(options, 's', 'i')
    return [writerId, stageId, workerId, sessionId]
  }
  expect(ids({})).toEqual(['s', null, null, 's'])
  expect(ids({ workerId: 'w' })).toEqual(['w', 'w', 'w', 's'])
  expect(ids({ stageId: 'st' })).toEqual(['st', 'st', null, 's'])
  expect(ids({ stageId: 'st', workerId: 'w' })).toEqual(['w', 'st', 'w', 's'])
  expect(ids({ writerId: ' ', workerId: '' })).toEqual(['s', null, null, 's'])
  expect(ids({ writerId: 'me', stageId: 'st', workerId: 'w' })).toEqual(['me', 'st', 'w', 's'])
})

test('a writer is called by the first id it has', () => {
  const nobody = { writerId: null, stageId: null, sessionId: null, workerId: null, instance: null }
  expect(writerName({ ...nobody, workerId: 'w', stageId: 'st' })).toBe('w')
  expect(writerName({ ...nobody, stageId: 'st', sessionId: 's' })).toBe('st')
  expect(writerName({ ...nobody, sessionId: 's' })).toBe('s')
  expect(writerName(nobody)).toBe('unknown')
  expect(writerName(null)).toBe('unknown')
})

test('a UUIDv7 holds its time and its random part', () => {
  expect(uuidV7(0x0190_0000_0001, new Uint8Array(10).fill(0xff))).toBe('01900000-0001-7fff-bfff-ffffffffffff')
  expect(uuidV7(1, new Uint8Array(10))).toBe('00000000-0001-7000-8000-000000000000')
})

test.each([
  ['1-0123456789abcdef', true],
  ['12-deleted', true],
  ['0-0123456789abcdef', false],
  ['1-0123456789ABCDEF', false],
  ['1-0123', false],
  ['1', false],
  ['', false],
])('a version: %j is %s', (text, is) => {
  expect(isVersion(text)).toBe(is)
})
