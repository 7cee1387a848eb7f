import { expect, test } from 'vitest'
import { label } from '../base/index.ts'
import { createScrubber } from './create-scrubber.ts'
import {
  concatScrubbed,
  joinScrubbed,
  parseScrubbed,
  partOfScrubbed,
  printScrubbed,
  scrubbedJson,
  scrubbedNames,
  scrubbedText,
  scrubbedTextOrNull,
  scrubbedUtf8,
  sliceScrubbed,
  textOfScrubbed,
} from './scrubbed-parts.ts'

const clean = createScrubber({}).text('plan.md', 'sent')
const free: string = 'plan.md'
const bytes = new Uint8Array([1])

test('a template takes our own words, numbers, labels and scrubbed text, and nothing else', () => {
  expect(scrubbedText`read ${clean} as ${label('utf8')} ${3} ${'literal'}`).toBe(
    'read plan.md as utf8 3 literal',
  )
  expect(scrubbedText``).toBe('')
  expect(scrubbedText`\n`).toBe('\n')
  // @ts-expect-error a free string
  scrubbedText`read ${free}`
})

test('what is joined, cut or printed must be scrubbed', () => {
  expect(joinScrubbed([clean, clean], ' ')).toBe('plan.md plan.md')
  expect(sliceScrubbed(clean, 0, 4)).toBe('plan')
  expect(printScrubbed({ path: clean, size: 1 })).toBe('{"path":"plan.md","size":1}')
  // @ts-expect-error a free string
  joinScrubbed([free], ' ')
  // @ts-expect-error free bytes
  concatScrubbed([bytes])
  // @ts-expect-error a free string
  sliceScrubbed(free, 0)
  // @ts-expect-error a free string deep inside
  printScrubbed({ paths: [{ path: free }] })
})

test('JSON of our own takes literals and labels, no free string', () => {
  const mode: 'captured' | 'denied' = 'captured'
  expect(scrubbedJson({ clock: mode, n: 1 })).toEqual({ clock: 'captured', n: 1 })
  // @ts-expect-error a free string
  scrubbedJson({ clock: free })
})

test('a part is scrubbed only if it occurs in scrubbed text', () => {
  expect(partOfScrubbed(clean, 'plan')).toBe('plan')
  expect(partOfScrubbed(clean, 'other')).toBe(null)
})

test('a known text is taken only if the bytes are its UTF-8', () => {
  const text = createScrubber({}).text('grün 😀', 'sent')
  expect(textOfScrubbed(scrubbedUtf8(text), 'grün 😀')).toBe('grün 😀')
  expect(textOfScrubbed(scrubbedUtf8(text), 'grun 😀 ')).toBe(null)
  expect(textOfScrubbed(scrubbedUtf8(text), 'grün')).toBe(null)
})

test('bytes that are not UTF-8 have no text, and text that is not JSON no value', () => {
  const odd = createScrubber({}).bytes(new Uint8Array([0xff, 0xfe]), 'received')
  expect(scrubbedTextOrNull(odd)).toBe(null)
  expect(scrubbedTextOrNull(scrubbedUtf8(scrubbedText`\ufeffa`))).toBe('\ufeffa')
  expect(parseScrubbed(clean)).toBe(undefined)
  expect(scrubbedNames({ a: 1, b: null })).toEqual(['a', 'b'])
})

test('joined bytes share no memory with their parts', () => {
  const part = scrubbedUtf8(clean)
  const whole = concatScrubbed([part])
  part.fill(0)
  expect(scrubbedTextOrNull(whole)).toBe('plan.md')
})
