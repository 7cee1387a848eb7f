/** The cassettes of a tape are in a folder next to it. No link there leads to other files. */
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tempFolder } from '../../test/support/temp-folder.ts'
import { cassettePath, copyCassette, makeCassettesFolder } from './cassettes-folder.ts'

/** A tape without cassettes, and a cassette elsewhere. */
function places(): { readonly tape: string; readonly elsewhere: string; readonly out: string } {
  const folder = tempFolder()
  const elsewhere = join(folder, 'elsewhere')
  mkdirSync(join(elsewhere, '7'), { recursive: true })
  writeFileSync(join(elsewhere, '7', 'manifest.json'), '{}')
  return { tape: join(folder, 'run.tape'), elsewhere, out: join(folder, 'copy.tape') }
}

test('a plain folder is used', () => {
  const { tape, out } = places()
  makeCassettesFolder(tape)
  mkdirSync(`${tape}.cassettes/7`)
  writeFileSync(`${tape}.cassettes/7/manifest.json`, '{}')
  expect(cassettePath(tape, '7')).toBe(`${tape}.cassettes/7`)
  expect(copyCassette(tape, '7', out)).toBe(true)
  expect(readFileSync(`${out}.cassettes/7/manifest.json`, 'utf8')).toBe('{}')
})

test.each(['../elsewhere/7', '/etc', '7/../7', '', '1e3', '٧'])('the name %j leads nowhere', (name) => {
  expect(cassettePath(places().tape, name)).toBeNull()
})

test.each(['folder', 'cassette'])('a link in place of the %s is not followed', (what) => {
  const { tape, elsewhere, out } = places()
  if (what === 'folder') symlinkSync(elsewhere, `${tape}.cassettes`)
  else {
    makeCassettesFolder(tape)
    symlinkSync(join(elsewhere, '7'), `${tape}.cassettes/7`)
  }
  expect(cassettePath(tape, '7')).toBeNull()
  expect(copyCassette(tape, '7', out)).toBe(false)
  expect(existsSync(`${out}.cassettes`)).toBe(false)
})

test('nothing is written through a link', () => {
  const { tape, elsewhere } = places()
  symlinkSync(elsewhere, `${tape}.cassettes`)
  expect(() => makeCassettesFolder(tape)).toThrow(expect.objectContaining({ code: 'out-exists' }))
})
