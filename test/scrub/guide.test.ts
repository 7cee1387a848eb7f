/** Runs the example of docs/guides/scrubbing.md: each call must give what the comment below it says. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { createScrubber } from '../../src/scrub/index.ts'

test('the example does what it says', () => {
  const guide = readFileSync(new URL('../../docs/guides/scrubbing.md', import.meta.url), 'utf8')
  const example = /```ts\n([\s\S]*?)```/.exec(guide)?.[1] ?? ''
  const setUp = /const scrubber = ([\s\S]*?\n\}\))\n/.exec(example)?.[1] ?? ''
  const scrubber: unknown = new Function('createScrubber', `return ${setUp}`)(createScrubber)
  const calls = [...example.matchAll(/^(scrubber\..*)\n\/\/ (.*)$/gm)]
  expect(calls.length).toBe(4)
  for (const [, call, result] of calls)
    expect(new Function('scrubber', `return ${call}`)(scrubber)).toBe(result)
})
