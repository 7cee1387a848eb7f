/** Every example of docs/guides/state.md runs, and the pages say what the code does. */
import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { encodeMetadata } from '../../src/state/drivers/filesystem/metadata.ts'
import { MAX_COMPONENT_BYTES, MAX_KEY_BYTES, MAX_SESSION_BYTES } from '../../src/state/index.ts'
import { versionFrom } from '../../src/state/version.ts'
import { tempFolder } from '../support/temp-folder.ts'

const root = new URL('../../', import.meta.url).pathname
const guide = readFileSync(join(root, 'docs/guides/state.md'), 'utf8')
const format = readFileSync(join(root, 'docs/format/state.md'), 'utf8')
const blocks = (language: string): string[] =>
  [...guide.matchAll(new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``, 'g'))].map(([, code]) => code ?? '')

const printed = [
  '1. read the code\n build it\n',
  'state-version-mismatch\n',
  /^2 --- notes\.md 1-[0-9a-f]{16}\n\+\+\+ notes\.md 2-[0-9a-f]{16}\n@@ -1,1 \+1,2 @@\n one\n\+two\n\nnotes\.md 3\n$/,
]

test.each(blocks('js').map((code, at) => ({ at, code })))('example $at of the guide', ({ at, code }) => {
  // The package finds itself by name only from inside, so the example starts there and moves.
  const moved = `process.chdir(${JSON.stringify(tempFolder())})\n${code}`
  const output = execFileSync(process.execPath, ['--input-type=module', '-e', moved], {
    cwd: root,
    encoding: 'utf8',
  })
  const expected = printed[at]
  if (expected instanceof RegExp) expect(output).toMatch(expected)
  else expect(output).toBe(expected)
})

test('the guide has as many examples as are looked at', () => {
  expect(blocks('js')).toHaveLength(printed.length)
  expect(blocks('sh')).toHaveLength(1)
})

test('the commands of the guide', () => {
  const script = `set -e\nreprise() { "${process.execPath}" "${join(root, 'bin/reprise.js')}" "$@"; }\n${blocks('sh')[0]}`
  const { status, stdout, stderr } = spawnSync('sh', ['-c', script], { cwd: tempFolder(), encoding: 'utf8' })
  expect([status, stderr]).toEqual([0, ''])
  expect(stdout.split('\n').filter((line) => !/^\d-[0-9a-f]{16}/.test(line))).toEqual([
    'review-42',
    '1. read the codenotes.md',
    'plan.md',
    'session  review-42',
    expect.stringMatching(/^root {5}.*\/state$/),
    'keys     3',
    'handoff  yes',
    'review-42',
    '',
  ])
})

test('limits are those of the code', () => {
  const limits = readFileSync(join(root, 'docs/limits.md'), 'utf8')
  expect(limits).toContain(
    `A key has at most ${MAX_KEY_BYTES} bytes, a component of it ${MAX_COMPONENT_BYTES}, a session id ${MAX_SESSION_BYTES}.`,
  )
})

test('the metadata example has the fields that are written, in their order', () => {
  const writer = { writerId: 'coder', stageId: null, sessionId: 'review-42', workerId: null, instance: 'i' }
  const before = {
    content: new Uint8Array(),
    hash: 'h',
    version: versionFrom(1, 'h'.repeat(16)),
    writer,
    updatedAt: 1,
  }
  const change = {
    kind: 'put',
    key: 'k',
    content: new Uint8Array(),
    hash: 'h',
    version: versionFrom(2, 'h'.repeat(16)),
    writer,
    updatedAt: 2,
    before,
  } as const
  const example = JSON.parse(format.match(/```json\n([\s\S]*?)```/)?.[1] ?? '')
  const written = JSON.parse(encodeMetadata(change))
  expect(Object.keys(example)).toEqual(Object.keys(written))
  expect(Object.keys(example.previous)).toEqual(Object.keys(written.previous))
})
