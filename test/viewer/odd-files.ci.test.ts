/** Files that are not whole: they open, show what is there, and state what is wrong. */
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { shows, view } from './browser.ts'
import { clockRead, copied, headerLine, recordLine, sealed, tapeText, writtenTape } from './made-tape.ts'

const five = [1, 2, 3, 4, 5].map(clockRead)

function damaged(): string {
  const path = copied('tapes-0.1/chat/run.tape')
  const lines = readFileSync(path, 'utf8').split('\n')
  lines[4] = `${lines[4]?.slice(0, 30)}\0\0\0`
  writeFileSync(path, lines.join('\n'))
  return path
}

test.each([
  ['damaged', damaged, 'Damaged', 'damage'],
  ['torn', () => writtenTape(`${tapeText(five)}{"type":"record","seq":5,"ph`), 'Damaged', 'torn'],
  ['unsealed', () => writtenTape(tapeText(five)), 'Not sealed', 'unsealed'],
  ['empty', () => writtenTape(''), 'Unreadable', 'empty'],
  ['not a tape', () => writtenTape('hello\nworld\n'), 'Unreadable', ''],
])('a %s file shows its findings', async (_name, make, verdict, code) => {
  const { page } = await view([make()])
  await shows(page, '.overview-head', verdict)
  await shows(page, '.findings', code)
})

test.each([
  ['of Harn', 'tape/harn-every-kind.tape'],
  ['of Harn 0.8.26', 'tape/harn-0.8.26-replay-fidelity.tape'],
])('a foreign tape %s opens', async (_name, fixture) => {
  const { page } = await view([copied(fixture)])
  await shows(page, '.overview-head', 'Foreign tape')
  await page.getByRole('button', { name: 'Timeline', exact: true }).click()
  await expect.poll(() => page.locator('.row-line').count()).toBeGreaterThan(1)
})

test('a damaged line is a row with its reason, and n finds it', async () => {
  const { page } = await view([damaged()], { fragment: '#/timeline/0' })
  await page.locator('.row-line').first().waitFor()
  await page.keyboard.press('n')
  await shows(page, '.record-head', 'damage')
  await shows(page, '.tab-panel', 'Line')
})

test('a growing tape is followed to its seal', async () => {
  const path = writtenTape(headerLine() + recordLine(0, clockRead(1)))
  const { page } = await view([path], { follow: true, fragment: '#/timeline/0' })
  await shows(page, '.list-note', '1 record')
  appendFileSync(path, recordLine(1, clockRead(2)) + recordLine(2, clockRead(3)))
  await shows(page, '.list-note', '3 records', 10_000)
  await expect.poll(() => page.locator('.live').count()).toBe(1)
  await expect.poll(() => page.locator('.row-title').count()).toBe(3)
  // Nobody scrolled: the list stays at its end.
  const more = Array.from({ length: 200 }, (_, n) => recordLine(3 + n, clockRead(n)))
  appendFileSync(path, more.join(''))
  await shows(page, '.list-note', /203 records · following the end/, 10_000)
  await shows(page, '.row-line >> nth=-1', '202')
  const text = readFileSync(path, 'utf8')
  appendFileSync(path, sealed(text, 203).slice(text.length))
  await expect.poll(() => page.locator('.live').count(), { timeout: 10_000 }).toBe(0)
  await page.getByRole('button', { name: 'Overview' }).click()
  await shows(page, '.overview-head', 'Sealed', 10_000)
})

test('a viewer that has ended says so', async () => {
  const { page, troubles } = await view([writtenTape(tapeText(five))], { fragment: '#/timeline/0' })
  await page.locator('.row-line').first().waitFor()
  await page.route('**/api/**', (route) => route.abort())
  await page.locator('.row-line').nth(2).click()
  await shows(page, '.problem', 'The viewer does not answer.')
  await shows(page, '.problem', 'reprise view')
  // The browser itself reports the requests that were cut off here.
  expect(troubles.splice(0).every((trouble) => trouble.includes('Failed to load resource'))).toBe(true)
})
