/** Which options of Node make the second wall of a replay. */
import { expect, test } from 'vitest'
import { wallFor } from './walls.ts'

const plain = {
  node: 'v22.13.0',
  writes: ['/tmp/own/*'],
  loaders: [],
  hooks: false,
  addons: false,
  temp: '/tmp',
}

test('a Node without a stable permission model has no wall', () => {
  for (const node of ['v20.20.0', 'v22.12.9', 'v23.4.0']) expect(wallFor({ ...plain, node })).toBeNull()
  for (const node of ['v22.13.0', 'v23.5.0', 'v24.0.0', 'v26.1.0'])
    expect(wallFor({ ...plain, node })).not.toBeNull()
})

test('only the files of the replay may be written; nothing else is allowed', () => {
  const wall = wallFor(plain)
  expect(wall?.options).toContain('--allow-fs-write=/tmp/own/*')
  expect(wall?.options.filter((option) => /^--allow-(?!fs)/.test(option))).toEqual([])
  expect(wall?.walls).toEqual({ files: true, children: true, workers: true, addons: true, network: false })
})

test.each([
  [{ node: 'v26.0.0' }, { network: true }],
  [{ loaders: ['tsx'] }, { children: false, workers: false, addons: true }],
  [{ loaders: ['@swc-node/register'] }, { children: false, workers: false, addons: false }],
  [{ hooks: true }, { workers: false, children: true }],
  [{ addons: true }, { addons: false, children: true, workers: true }],
])('%j relaxes what it needs', (needs, walls) => {
  expect(wallFor({ ...plain, ...needs })?.walls).toMatchObject(walls)
})

test('a path with a blank or a quote is one word of NODE_OPTIONS', () => {
  const options = wallFor({ ...plain, writes: ['/a b/"c"/*'] })?.options
  expect(options).toContain('"--allow-fs-write=/a b/\\"c\\"/*"')
})
