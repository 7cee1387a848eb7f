/** Makes a tape of one that an older version could have written: without features, and sealed as such. */
import { readFileSync, writeFileSync } from 'node:fs'
import { contentHash, utf8 } from '../../src/base/index.ts'

export function withoutFeatures(tape: string): void {
  const text = readFileSync(tape, 'utf8').replace(/"features":\[[^\]]*\]/, '"features":[]')
  const at = text.lastIndexOf('\n', text.length - 2) + 1
  const seal = text.slice(at).replace(/"chain":"[^"]*"/, `"chain":"${contentHash(utf8(text.slice(0, at)))}"`)
  writeFileSync(tape, text.slice(0, at) + seal)
}
