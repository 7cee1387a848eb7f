/** What is on the screen, for every kind of file that the viewer opens. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { reprise } from '../support/cli.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { painted, shownText, shows, view, watchedPage } from './browser.ts'
import { clockRead, copied, madeTape } from './made-tape.ts'

test('the overview of a tape of version 0.1 answers what the run did', async () => {
  const { page } = await view([copied('tapes-0.1/chat/run.tape')])
  await shows(page, 'h1', 'node chat.mjs')
  await shows(page, '.overview-head', 'Sealed')
  await shows(page, '.overview-head', 'exit 0')
  await shows(page, '.tiles', /Model calls\s+3/)
  await expect.poll(() => page.locator('.turn').count()).toBe(3)
  await expect.poll(() => painted(page, '.strip canvas')).toBe(true)
})

test('a click on a model call opens it as a conversation, and its address opens it again', async () => {
  const { page, go } = await view([copied('tapes-0.1/chat/run.tape')])
  await page.locator('.turn').nth(1).click()
  await shows(page, '.record-head', 'llm_call')
  await shows(page, '.conversation', 'two')
  await shows(page, '.conversation', 'turn 2')
  const fragment = new URL(page.url()).hash
  expect(fragment).toMatch(/^#\/timeline\/0\?row=\d+/)
  const title = await shownText(page, '.record-title')
  await go('#/overview/0')
  await go(fragment)
  await shows(page, '.record-title', title)
})

test('a streamed answer plays at its recorded speed', async () => {
  const { page } = await view([copied('tapes-0.1/chat/run.tape')])
  await page.locator('.turn').nth(1).click()
  await page.locator('.message-answer input[type="range"]').waitFor()
  const whole = await shownText(page, '.message-answer .message-text')
  await page.evaluate(`(() => {
    const input = document.querySelector('.message-answer input[type="range"]')
    input.value = '0'
    input.dispatchEvent(new Event('input', { bubbles: true }))
  })()`)
  await expect.poll(() => page.locator('[data-testid="streamed"]').count()).toBe(1)
  expect((await shownText(page, '[data-testid="streamed"]')).trim().length).toBeLessThan(whole.length)
  await page.getByRole('button', { name: 'Play the answer' }).click()
  await expect.poll(() => shownText(page, '.message-answer .message-text')).toBe(whole)
  await expect.poll(() => page.locator('[data-testid="streamed"]').count()).toBe(0)
})

test('the difference to the previous request shows the new messages', async () => {
  const { page } = await view([copied('tapes-0.1/chat/run.tape')])
  await page.locator('.turn').nth(1).click()
  await page.getByRole('button', { name: 'Difference to the previous request' }).click()
  await shows(page, '.diff', '"two"')
  await expect.poll(() => page.locator('.diff-added').count()).toBeGreaterThan(0)
})

test('the raw line of a record is always there', async () => {
  const { page } = await view([copied('tapes-0.1/chat/run.tape')], { fragment: '#/timeline/0?row=0' })
  await page.getByRole('tab', { name: 'Raw' }).click()
  await shows(page, '.tab-panel', '"seq": 0')
})

test('the timeline zooms, pans, and a click on it selects a record', async () => {
  const records = Array.from({ length: 1000 }, (_, n) => clockRead(n))
  const { page } = await view([madeTape(records)], { fragment: '#/timeline/0' })
  await expect.poll(() => painted(page, '.timeline-area canvas')).toBe(true)
  const area = page.getByTestId('timeline')
  const box = await area.boundingBox()
  if (box === null) throw new Error('the timeline has no box')
  await page.mouse.move(box.x + box.width / 2, box.y + 60)
  await page.mouse.wheel(0, -500)
  await expect.poll(() => new URL(page.url()).hash).toMatch(/from=[\d.]+&to=[\d.]+/)
  const zoomed = new URL(page.url()).hash
  await page.keyboard.press('ArrowRight')
  await expect.poll(() => new URL(page.url()).hash).not.toBe(zoomed)
  await page.mouse.click(box.x + box.width / 2, box.y + 60)
  await expect.poll(() => new URL(page.url()).hash).toMatch(/row=\d+/)
  const row = Number(/row=(\d+)/.exec(page.url())?.[1])
  expect(row).toBeGreaterThan(300)
  expect(row).toBeLessThan(800)
  await page.keyboard.press('0')
  await expect.poll(() => new URL(page.url()).hash).not.toMatch(/from=/)
})

test('the minimap scrubs through the run', async () => {
  const records = Array.from({ length: 1000 }, (_, n) => clockRead(n))
  const { page } = await view([madeTape(records)], { fragment: '#/timeline/0?from=0&to=1000' })
  const box = await page.getByTestId('minimap').boundingBox()
  if (box === null) throw new Error('the minimap has no box')
  await page.mouse.move(box.x + 10, box.y + 10)
  await page.mouse.down()
  await page.mouse.move(box.x + box.width * 0.75, box.y + 10, { steps: 5 })
  await page.mouse.up()
  await expect.poll(() => Number(/from=([\d.]+)/.exec(page.url())?.[1])).toBeGreaterThan(6000)
})

test('the record list scrolls to any record of a long tape', async () => {
  const records = Array.from({ length: 20_000 }, (_, n) => clockRead(n))
  const { page } = await view([madeTape(records)], { fragment: '#/timeline/0' })
  await shows(page, '.list-note', '20,001 records')
  await page.keyboard.press('End')
  await shows(page, '[aria-selected="true"]', 'tape_seal')
  await page.keyboard.press('ArrowUp')
  await shows(page, '[aria-selected="true"]', '19999')
  await page.keyboard.press('Home')
  await shows(page, '[aria-selected="true"] .row-seq', /^0$/)
  await page.locator('.row-list').hover()
  await page.mouse.wheel(0, 26 * 5000)
  await expect.poll(async () => Number(await shownText(page, '.row-seq'))).toBeGreaterThan(4000)
  expect(await page.locator('.row-slot').count()).toBeLessThan(80)
})

test('filters by kind, text, record number and visible time; the address keeps them', async () => {
  const { page, go } = await view([copied('tapes-0.1/chat/run.tape')], { fragment: '#/timeline/0' })
  await page.locator('.menu summary').click()
  await page.locator('.menu-list').getByText('llm_call').click()
  await shows(page, '.list-note', '3 of 28 records')
  expect(await page.locator('.row-kind').allInnerTexts()).toEqual(['llm_call', 'llm_call', 'llm_call'])
  const fragment = new URL(page.url()).hash
  await go('#/overview/0')
  await go(fragment)
  await shows(page, '.list-note', '3 of 28 records')
  await page.getByRole('button', { name: 'Clear' }).click()
  await shows(page, '.list-note', '28 records')
  await page.keyboard.press('/')
  await page.keyboard.type('no such text anywhere')
  await shows(page, '.list-pane', 'No record matches.')
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.type('chat/completions')
  await expect.poll(() => shownText(page, '.list-note')).toMatch(/^[1-9]\d* of 28 records/)
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Clear' }).click()
  await page.getByLabel('First record number').fill('5')
  await page.getByLabel('Last record number').fill('9')
  await page.keyboard.press('Tab')
  await shows(page, '.list-note', '5 of 28 records')
})

test('n and p go from finding to finding', async () => {
  const gap = { kind: { kind: 'gap', boundary: 'worker', reason: 'a worker thread was started' } }
  const records = [clockRead(1), gap, clockRead(2), clockRead(3), gap]
  const { page } = await view([madeTape(records)], { fragment: '#/timeline/0' })
  await shows(page, '.list-note', '6 records')
  await page.keyboard.press('n')
  await expect.poll(() => page.url()).toMatch(/row=1/)
  await page.keyboard.press('n')
  await expect.poll(() => page.url()).toMatch(/row=4/)
  await page.keyboard.press('p')
  await expect.poll(() => page.url()).toMatch(/row=1/)
})

test('space plays the run, and ? shows the keys', async () => {
  const records = Array.from({ length: 30 }, (_, n) => clockRead(n))
  const { page } = await view([madeTape(records)], { fragment: '#/timeline/0?row=3' })
  await shows(page, '[aria-selected="true"] .row-seq', /^3$/)
  await page.keyboard.press(' ')
  await expect.poll(() => Number(/row=(\d+)/.exec(page.url())?.[1])).toBeGreaterThan(5)
  await page.keyboard.press(' ')
  await page.keyboard.press('?')
  await shows(page, 'dialog', 'next and previous finding')
  await page.keyboard.press('Escape')
  await expect.poll(() => page.locator('dialog').count()).toBe(0)
})

test('a file is shown as a difference to its previous content', async () => {
  const write = (content: string) => ({
    kind: {
      kind: 'file_write',
      path: 'notes/plan.md',
      content_hash: 'a'.repeat(64),
      len_bytes: content.length,
      payload: { content_hash: 'a'.repeat(64), text: content },
    },
  })
  const { page } = await view([madeTape([write('one\ntwo\n'), write('one\nthree\n')])], {
    fragment: '#/timeline/0?row=1',
  })
  await shows(page, '.diff-removed', 'two')
  await shows(page, '.diff-added', 'three')
})

test.each([
  ['process', 'children', 'process_spawn', 'exit'],
  ['MCP', 'mcp-stdio', 'mcp_json_rpc', 'result'],
  ['HTTP exchange', 'http', 'http_exchange', '200'],
  ['file', 'files', 'file_write', 'Content'],
])('a %s has a view of its own', async (_name, fixture, kind, wanted) => {
  const { page } = await view([copied(`tapes-0.1/${fixture}/run.tape`)], {
    fragment: `#/timeline/0?kinds=${kind}`,
  })
  await page.locator('.row-line').first().click()
  await shows(page, '.record-head', kind)
  await shows(page, '.tab-panel', wanted)
})

test('a cassette plays: seek, frame by frame, input, search on the screen', async () => {
  const { page } = await view([copied('cassette/opencode')])
  await page.locator('.xterm-rows').waitFor()
  const end = await shownText(page, '.xterm-rows')
  expect(end.trim()).not.toBe('')
  await page.keyboard.press('Home')
  await expect.poll(() => shownText(page, '.xterm-rows')).not.toBe(end)
  await page.getByRole('button', { name: 'Next frame' }).click()
  await expect.poll(() => page.url()).toMatch(/at=\d+/)
  await page.keyboard.press('End')
  await expect.poll(() => shownText(page, '.xterm-rows')).toBe(end)
  const word = /[A-Za-z]{5,}/.exec(end)?.[0] ?? ''
  await page.keyboard.press('/')
  await page.keyboard.type(word)
  await shows(page, '.screen-search', /match/)
  await page.getByLabel('Speed').selectOption('0.25')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Play the terminal' }).click()
  await expect.poll(() => page.getByRole('button', { name: 'Pause the terminal' }).count()).toBe(1)
})

test('the terminal of a tape is reached from its overview, and leads back to the timeline', async () => {
  const { page } = await view([copied('tapes-0.1/terminal/run.tape')])
  await page.getByRole('button', { name: /exit/ }).first().click()
  await page.locator('.xterm-rows').waitFor()
  await page.getByRole('button', { name: /Show on the timeline/ }).click()
  await shows(page, '.record-head', 'terminal_session')
})

test('a journal shows the snapshot at the moment of the cursor', async () => {
  const { page } = await view([copied('journal/golden/every-kind.jsonl')])
  await expect.poll(() => page.locator('.entry-line').count()).toBeGreaterThan(5)
  const last = await shownText(page, '[data-testid="moment"]')
  await page.keyboard.press('Home')
  await expect.poll(() => page.url()).toMatch(/at=0/)
  await expect.poll(() => shownText(page, '[data-testid="moment"]')).not.toBe(last)
  await page.keyboard.press('End')
  await expect.poll(() => shownText(page, '[data-testid="moment"]')).toBe(last)
  await page.getByRole('button', { name: 'Snapshot' }).click()
  await expect.poll(() => page.locator('.json-name').count()).toBeGreaterThan(3)
})

test('a state folder shows keys, owners, history and the handoff', async () => {
  const root = join(tempFolder(), 'state')
  const state = (...args: readonly string[]) =>
    reprise(['state', ...args, '--root', root, '--session', 's1', '--writer', 'planner'])
  for (const args of [
    ['init'],
    ['write', 'notes/plan.md', 'one\ntwo'],
    ['write', 'notes/plan.md', 'one\nthree'],
  ]) {
    expect((await state(...args)).code).toBe(0)
  }
  expect(
    (
      await state(
        'handoff',
        '--source',
        'planner',
        '--target',
        'writer',
        '--task',
        'write the report',
        '--reason',
        'the plan is done',
      )
    ).code,
  ).toBe(0)
  const { page } = await view([root])
  await shows(page, '.state-view', 'notes/plan.md')
  await shows(page, '[aria-label="Handoff"]', 'write the report')
  await page.getByRole('button', { name: 'notes/plan.md' }).click()
  await page.getByRole('button', { name: 'Difference to the version before' }).first().click()
  await shows(page, '.diff-removed', 'two')
  await shows(page, '.diff-added', 'three')
})

test('two tapes open on their first difference, with the report on top', async () => {
  const { page } = await view([copied('fidelity/recorded.tape'), copied('fidelity/replay.tape')])
  await shows(page, '[data-testid="report"]', /diverged|same|unverified/)
  await expect.poll(() => page.locator('.pair-line').count()).toBeGreaterThan(1)
  await page.getByRole('button', { name: 'Differences' }).click()
  await page.locator('.row-slot .pair-line').first().click()
  await shows(page, '.divergences', /recorded|\$/)
})

test('an exported file opens from disk and shows the same run', async () => {
  const file = join(tempFolder(), 'out.html')
  const run = await reprise(['view', copied('tapes-0.1/chat/run.tape'), '--export', file])
  expect([run.code, existsSync(file)]).toEqual([0, true])
  const address = `file://${file}`
  const { page } = await watchedPage(address)
  await page.goto(address)
  await shows(page, 'h1', 'node chat.mjs')
  await page.locator('.turn').nth(1).click()
  await shows(page, '.conversation', 'two')
  await page.getByRole('button', { name: 'Difference to the previous request' }).click()
  await shows(page, '.diff', '"two"')
})
