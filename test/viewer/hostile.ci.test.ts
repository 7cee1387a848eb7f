/**
 * A file whose every text is an attack. It does nothing: not in the page, not in an export, not in the
 * terminal.
 */
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { reprise } from '../support/cli.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { shownText, shows, view, watchedPage } from './browser.ts'
import { copied, type MadeRecord, madeTape } from './made-tape.ts'

/**
 * Sets a mark on the page if it ever runs, and asks for something from outside if it is ever taken for
 * markup.
 */
const ATTACKS = [
  '</script><script>window.attacked = 1</script>',
  '<img src=x onerror="window.attacked = 1">',
  '<!--<script>--><svg onload="window.attacked = 1">',
  '"><iframe src="http://attacker.example/"></iframe>',
  "';window.attacked=1;//",
  '\u001b]0;title\u0007\u001b[2J\u001b]8;;http://attacker.example/\u0007link\u001b]8;;\u0007',
  '\u202egnp.exe\u0000\u2028\u2029',
  '__proto__',
  '$'.concat('{window.attacked = 1}'),
  'javascript:window.attacked=1',
]
const ATTACK = ATTACKS.join(' ')

const payload = { content_hash: 'b'.repeat(64), text: ATTACK }
const answer = {
  text: ATTACK,
  tool_calls: [{ id: ATTACK, type: 'function', name: ATTACK, arguments: { [ATTACK]: ATTACK } }],
  input_tokens: 1,
  output_tokens: 1,
  model: ATTACK,
  provider: ATTACK,
  thinking: ATTACK,
  stop_reason: ATTACK,
}
const records: readonly MadeRecord[] = [
  { kind: { kind: 'clock_read', source: 'wall', value_ms: 1, api: ATTACK } },
  { kind: { kind: 'env_read', name: ATTACK, value: ATTACK } },
  { kind: { kind: 'file_write', path: ATTACK, content_hash: 'b'.repeat(64), len_bytes: 9, payload } },
  {
    kind: {
      kind: 'file_write',
      path: ATTACK,
      content_hash: 'b'.repeat(64),
      len_bytes: 9,
      payload: { ...payload, text: `${ATTACK}\n${ATTACK}` },
    },
  },
  {
    kind: {
      kind: 'http_exchange',
      id: 1,
      method: ATTACK,
      url: `http://attacker.example/${ATTACK}`,
      request_headers: [[ATTACK, ATTACK]],
      status: 200,
      response_headers: [['content-type', 'text/html']],
      response_body: payload,
      status_text: ATTACK,
    },
  },
  {
    kind: {
      kind: 'process_spawn',
      program: ATTACK,
      args: [ATTACK],
      cwd: ATTACK,
      exit_code: 1,
      duration_ms: 5,
      stdout_payload: payload,
      stderr_payload: payload,
    },
  },
  {
    kind: {
      kind: 'llm_call',
      request_digest: 'c'.repeat(64),
      response: { ...payload, text: JSON.stringify(answer) },
      provider: ATTACK,
      model: ATTACK,
      request: {
        model: ATTACK,
        messages: [
          { role: ATTACK, content: ATTACK },
          {
            role: 'user',
            content: [{ type: 'image_url', image_url: { url: 'http://attacker.example/x.png' } }],
          },
        ],
        tools: [{ type: 'function', function: { name: ATTACK, description: ATTACK, parameters: {} } }],
      },
    },
  },
  {
    kind: {
      kind: 'mcp_json_rpc',
      server: ATTACK,
      method: ATTACK,
      request_digest: 'd'.repeat(64),
      response_digest: 'd'.repeat(64),
      latency_ms: 1,
      request_payload: payload,
      response_payload: payload,
    },
  },
  { kind: { kind: 'gap', boundary: ATTACK, reason: ATTACK } },
  { kind: { kind: ATTACK, [ATTACK]: ATTACK } },
]

const hostile = (): string =>
  madeTape(records, { command: ['node', ATTACK], node: ATTACK, harn_version: ATTACK, script_path: ATTACK })

const attacked = (page: Page): Promise<unknown> => page.evaluate('window.attacked')
/** Elements that only markup of a tape could have made. */
const foreignElements = (page: Page): Promise<number> =>
  page.locator('iframe, img, object, embed, [onerror], [onload], main script, main svg:not(.icon)').count()

async function readAll(page: Page): Promise<void> {
  await page.locator('.overview').waitFor()
  expect(await shownText(page, 'h1')).toContain('</script><script>')
  expect([await attacked(page), await foreignElements(page)]).toEqual([undefined, 0])
  await page.getByRole('button', { name: 'Timeline', exact: true }).click()
  await page.locator('.row-line').first().click()
  for (let row = 0; row < records.length; row += 1) {
    await shows(page, '.record-line', `#${row}`)
    for (const tab of await page.getByRole('tab').all()) await tab.click()
    await page.getByRole('tab').first().click()
    const closed = page.locator('.record .section-title button[aria-expanded="false"]')
    while ((await closed.count()) > 0) await closed.first().click()
    expect([await attacked(page), await foreignElements(page)]).toEqual([undefined, 0])
    await page.locator('.row-list').focus()
    await page.keyboard.press('ArrowDown')
  }
  await page.keyboard.press('/')
  await page.keyboard.type('<img src=x')
  await shows(page, '.list-note', /of 11 records/)
  expect([await attacked(page), await foreignElements(page)]).toEqual([undefined, 0])
}

test('a hostile tape does nothing in the page, and no request leaves the viewer', async () => {
  const { page, url, requests } = await view([hostile()])
  await readAll(page)
  expect(requests.length).toBeGreaterThan(10)
  expect(requests.filter((address) => !address.startsWith(url))).toEqual([])
  expect(await page.title()).toBe('Reprise')
})

test('a hostile tape does nothing in an export, which asks for nothing at all', async () => {
  const file = join(tempFolder(), 'out.html')
  const run = await reprise(['view', hostile(), '--export', file])
  expect(run.code).toBe(0)
  const address = `file://${file}`
  const { page, requests } = await watchedPage(address)
  await page.goto(address)
  await readAll(page)
  expect(requests.map((request) => request.replace(/#.*/, ''))).toEqual([address])
})

test('a hostile link opens nothing: the fragment is data', async () => {
  const { page, go } = await view([hostile()])
  for (const attack of ATTACKS) {
    await go(
      `#/timeline/0?text=${encodeURIComponent(attack)}&kinds=${encodeURIComponent(attack)}&row=${encodeURIComponent(attack)}`,
    )
    await go(`#/${encodeURIComponent(attack)}/${encodeURIComponent(attack)}`)
  }
  expect([await attacked(page), await foreignElements(page)]).toEqual([undefined, 0])
})

test('the output of a hostile terminal stays on its screen', async () => {
  const cassette = copied('cassette/opencode')
  // As long as the recorded bytes, so that its chunks still point into it.
  const bytes = Buffer.alloc(readFileSync(join(cassette, 'output.raw')).length, ' ')
  const attack = '<img src=x onerror=alert()>\u001b[38;2;9;99;199mX\u001b[0m\u001b]0;owned\u0007'
  expect(bytes.write(attack)).toBe(attack.length)
  const manifest = readFileSync(join(cassette, 'manifest.json'), 'utf8')
  const digest = (content: Uint8Array): string => createHash('sha256').update(content).digest('hex')
  const changed = manifest.replace(digest(readFileSync(join(cassette, 'output.raw'))), digest(bytes))
  expect(changed).not.toBe(manifest)
  writeFileSync(join(cassette, 'manifest.json'), changed)
  writeFileSync(join(cassette, 'output.raw'), bytes)
  const { page } = await view([cassette])
  await page.locator('.xterm-rows').waitFor()
  await shows(page, '.xterm-rows', '<img src=x onerror=alert()>X')
  expect([await attacked(page), await foreignElements(page)]).toEqual([undefined, 0])
  expect(await page.title()).toBe('Reprise')
  // A colour of the bytes is a style of one cell, set in the only way that the policy of the page allows.
  const colours =
    "[...document.querySelectorAll('.xterm-rows span')].filter((cell) => cell.textContent === 'X').map((cell) => getComputedStyle(cell).color)"
  expect(await page.evaluate(colours)).toEqual(['rgb(9, 99, 199)'])
})
