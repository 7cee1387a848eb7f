/** Makes a tape of one that an older version could have written: without features, and sealed as such. */
import { readFileSync, writeFileSync } from 'node:fs'
import { contentHash, utf8 } from '../../src/base/index.ts'

export function withoutFeatures(tape: string): void {
  const text = olderForm(readFileSync(tape, 'utf8'))
  const at = text.lastIndexOf('\n', text.length - 2) + 1
  const seal = text.slice(at).replace(/"chain":"[^"]*"/, `"chain":"${contentHash(utf8(text.slice(0, at)))}"`)
  writeFileSync(tape, text.slice(0, at) + seal)
}

/** What later features write in another form. */
function olderForm(text: string): string {
  return text
    .replace(/"features":\[[^\]]*\]/, '"features":[]')
    .replaceAll(/\{"kind":"clock_sleep","duration_ms":\d+,"of":(\d+)\}/g, '{"kind":"timer_fire","id":$1}')
    .replaceAll(/"phase":"runtime_finalize"(?!.*"kind":"tape_seal")/g, '"phase":"user_script"')
}
