/**
 * What the scrubber replaces in text without secrets: source code and prose of the installed packages, 10 MB
 * of each. Prints how many, and of which kinds; each is a false positive, or a made-up secret of an example.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { createScrubber, type Side } from '../src/scrub/index.ts'

const MOST_BYTES = 10_000_000
const MOST_OF_A_FILE = 200_000
const packages = new URL('../node_modules/', import.meta.url).pathname

export async function bench(): Promise<void> {
  for (const [what, ends] of [
    ['source code', /\.(?:[cm]?js|[cm]?ts)$/],
    ['prose', /\.md$/i],
  ] as const) {
    const texts = collect(ends)
    const bytes = texts.reduce((sum, text) => sum + text.length, 0)
    console.log(`${what}: ${texts.length} files, ${bytes} bytes`)
    for (const side of ['received', 'sent'] as const) console.log(`  ${side}: ${summary(texts, side)}`)
  }
}

function collect(ends: RegExp): string[] {
  const texts: string[] = []
  let left = MOST_BYTES
  const names = readdirSync(packages, { recursive: true, encoding: 'utf8' }).sort()
  for (const name of names) {
    if (!ends.test(name) || left <= 0) continue
    const file = statSync(join(packages, name))
    if (!file.isFile() || file.size > MOST_OF_A_FILE) continue
    const text = readFileSync(join(packages, name), 'utf8')
    texts.push(text)
    left -= text.length
  }
  return texts
}

function summary(texts: readonly string[], side: Side): string {
  const counts = new Map<string, number>()
  for (const text of texts) {
    const scrubber = createScrubber()
    scrubber.text(text, side)
    for (const { rule, count } of scrubber.report().rules) counts.set(rule, (counts.get(rule) ?? 0) + count)
  }
  const sorted = [...counts].sort(([, a], [, b]) => b - a)
  return `${sorted.reduce((sum, [, count]) => sum + count, 0)} (${sorted.map(([kind, count]) => `${kind} ${count}`).join(', ')})`
}
