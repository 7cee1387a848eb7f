/** docs/api is what scripts/write-api.ts makes of the built package, and the root entry stays small. */
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { apiPages } from '../../scripts/api-pages.ts'

const folder = fileURLToPath(new URL('../../docs/api/', import.meta.url))
const pages = apiPages()

test('every entry has a page, and no page is left over', () => {
  expect(readdirSync(folder).sort()).toEqual(pages.map(({ file }) => file).sort())
})

test.each(pages)('$file is up to date (npx tsx scripts/write-api.ts)', ({ file, text }) => {
  expect(readFileSync(`${folder}${file}`, 'utf8')).toBe(text)
})

test('the root entry has eight values', () => {
  const page = pages.find(({ file }) => file === 'reprise.md')
  const [, values = ''] = page?.text.split(/^## /m) ?? []
  expect([...values.matchAll(/^### (.+)$/gm)].map(([, name]) => name)).toEqual([
    'RepriseError',
    'errorCodes',
    'isRepriseError',
    'readTape',
    'record',
    'replay',
    'testbench',
    'verifyTape',
  ])
})
