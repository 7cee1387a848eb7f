import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { knownAddon, knownAddons } from './known-addons.ts'

test.each([
  ['bufferutil', '4.0.8', true],
  ['bufferutil', '5.0.0', false],
  ['bufferutil', '', false],
  ['bufferutil2', '4.0.8', false],
  ['@rollup/rollup-linux-x64-gnu', '4.44.1', true],
  ['@rollup/plugin', '4.0.0', false],
  ['better-sqlite3', '13.0.3', true],
  ['better-sqlite3', '14.0.0', false],
])('%s %s may be loaded: %s', (name, version, known) => {
  expect(knownAddon(name, version) !== null).toBe(known)
})

test('every row has a reason, a range and a test that is there', () => {
  for (const { package: name, from, below, reason, test: file } of knownAddons) {
    expect([name, reason.length > 10, existsSync(new URL(`../../../${file}`, import.meta.url))]).toEqual([
      name,
      true,
      true,
    ])
    expect(knownAddon(name.replace('*', 'x'), from)).not.toBeNull()
    expect(knownAddon(name.replace('*', 'x'), below)).toBeNull()
  }
})
