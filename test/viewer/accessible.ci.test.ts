/** axe-core finds nothing serious or critical on any view, light or dark, wide or narrow. */

import { join } from 'node:path'
import axe from 'axe-core'
import { expect, test } from 'vitest'
import { reprise } from '../support/cli.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { view } from './browser.ts'
import { copied, writtenTape } from './made-tape.ts'

type Violation = {
  readonly id: string
  readonly impact: string | null
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[]
}

async function stateFolder(): Promise<readonly string[]> {
  const root = join(tempFolder(), 'state')
  for (const args of [['init'], ['write', 'plan.md', 'one']]) {
    await reprise(['state', ...args, '--root', root, '--session', 's1', '--writer', 'planner'])
  }
  return [root]
}

const chat = async () => [copied('tapes-0.1/chat/run.tape')]
const views: readonly (readonly [
  name: string,
  paths: () => Promise<readonly string[]>,
  fragment: string,
  ready: string,
])[] = [
  ['overview', chat, '#/', '.overview'],
  ['timeline', chat, '#/timeline/0', '.row-line'],
  ['record', chat, '#/timeline/0?row=8', '.record-title'],
  ['conversation', chat, '#/timeline/0?kinds=llm_call&row=17', '.record-title'],
  ['findings', async () => [writtenTape('hello\n')], '#/', '.findings'],
  [
    'comparison',
    async () => [copied('fidelity/recorded.tape'), copied('fidelity/replay.tape')],
    '#/',
    '.pair-line',
  ],
  ['terminal', async () => [copied('cassette/opencode')], '#/', '.xterm-rows'],
  ['audit', async () => [copied('journal/golden/every-kind.jsonl')], '#/', '.moment'],
  ['state', stateFolder, '#/state/0?session=s1&key=plan.md', '.versions'],
]
const looks = [
  ['light, wide', { colorScheme: 'light', viewport: { width: 1440, height: 900 } }],
  ['dark, narrow', { colorScheme: 'dark', viewport: { width: 320, height: 640 } }],
] as const

for (const [look, options] of looks) {
  test.each(views)(`${look}: %s`, async (_name, paths, fragment, ready) => {
    const { page } = await view(await paths(), { ...options, fragment })
    await page.locator(ready).first().waitFor()
    // The address of the page is its own policy's business; axe is put in by the driver, not by the page.
    await page.evaluate(axe.source)
    const violations = await page.evaluate<readonly Violation[]>(
      "axe.run(document, { resultTypes: ['violations'] }).then((result) => result.violations)",
    )
    const bad = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')
    expect(
      bad.map(({ id, nodes }) => [
        id,
        nodes.slice(0, 3).map((node) => `${node.html.slice(0, 160)} ${node.failureSummary ?? ''}`),
      ]),
    ).toEqual([])
    const overflow = await page.evaluate(
      'document.documentElement.scrollWidth - document.documentElement.clientWidth',
    )
    expect(overflow).toBe(0)
  })
}
