/**
 * A golden file's text. `REPRISE_GOLDEN=write` writes it first: then read the difference before you commit
 * it.
 */
import { readFileSync, writeFileSync } from 'node:fs'

export function needGolden(name: string, now: string): string {
  const file = new URL(`golden/${name}`, import.meta.url)
  if (process.env.REPRISE_GOLDEN === 'write') writeFileSync(file, now)
  return readFileSync(file, 'utf8')
}
