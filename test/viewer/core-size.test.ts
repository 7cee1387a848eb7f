/**
 * What a browser loads before anything is opened: at most 40 KB, compressed. Parts that are loaded later do
 * not count.
 */
import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'

const folder = new URL('../../dist/viewer/web/', import.meta.url)
const read = (name: string): string => readFileSync(new URL(name, folder), 'utf8')

/** The files that the page names, and those that their static imports name. */
function coreFiles(): ReadonlySet<string> {
  const html = read('index.html')
  const found = new Set(
    [...html.matchAll(/(?:src|href)="\.\/(assets\/[^"]+\.(?:js|css))"/g)].map((match) => match[1] ?? ''),
  )
  for (const file of found) {
    if (!file.endsWith('.js')) continue
    for (const [, name] of read(file).matchAll(/(?:\bfrom|\bimport)\s*"\.\/([^"]+)"/g))
      found.add(`assets/${name}`)
  }
  return found
}

test('the core of the page is at most 40 KB', () => {
  const files = [...coreFiles()]
  expect(files.some((file) => file.endsWith('.css'))).toBe(true)
  expect(files.filter((file) => /terminal-view|editor|text-diff|range-source/.test(file))).toEqual([])
  const bytes = files.reduce((sum, file) => sum + gzipSync(read(file), { level: 9 }).length, 0)
  expect(bytes).toBeGreaterThan(10_000)
  expect(bytes).toBeLessThanOrEqual(40 * 1024)
})

test('the page has no inline script or style and names nothing outside', () => {
  const html = read('index.html')
  expect(html).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\bstyle=|\bon\w+=/)
  expect(html).not.toMatch(/(?:src|href)="(?!\.\/assets\/)/)
  expect(html.match(/<!--reprise-boot-->/g)).toHaveLength(1)
})

test('the page for exports is one file', () => {
  const html = read('single.html')
  expect(html).not.toMatch(/(?:src|href)="/)
  expect(html.match(/<!--reprise-boot-->/g)).toHaveLength(1)
  expect(html.match(/<!--reprise-parts-->/g)).toHaveLength(1)
})
