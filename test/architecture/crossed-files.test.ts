/**
 * How many files somebody has to read to follow one `fetch`. The bounds may fall and must not rise: decision
 * 0350 names each file and why it is there.
 */
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

type Crossed = { readonly file: string; readonly lines: number; readonly isMiddle: boolean }

const root = fileURLToPath(new URL('../..', import.meta.url))
const counts: { readonly recording: readonly Crossed[]; readonly replaying: readonly Crossed[] } = JSON.parse(
  execFileSync(process.execPath, ['--import', 'tsx', 'scripts/count-crossed-files.ts', '--json'], {
    cwd: root,
    encoding: 'utf8',
  }),
)

const bounds = [
  ['recording', 18],
  ['replaying', 20],
] as const

test.each(bounds)('one fetch crosses few files between its call and its last record: %s', (mode, most) => {
  const files = counts[mode].filter(({ isMiddle }) => isMiddle).map(({ file }) => file)
  expect(files).toContain('src/testbench/session/create-session.ts')
  expect(files.length, files.join('\n')).toBeLessThanOrEqual(most)
})

test.each(bounds)('no file on the way has more than 300 lines: %s', (mode) => {
  expect(counts[mode].filter(({ lines }) => lines > 300)).toEqual([])
})
