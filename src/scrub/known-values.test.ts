import fc from 'fast-check'
import { expect, it } from 'vitest'
import { Input } from './input.ts'
import { openingIn } from './known-values.ts'
import { letterCount, type Spelled, spelled, spelledEnd } from './spelling.ts'

/** Tries every offset, with an input of its own. */
function slowOpening(text: string, opening: Spelled): number {
  const first = Math.max(0, text.length - Math.min(letterCount(opening) * 12, 512))
  for (let at = first; at < text.length; at += 1) {
    const input = new Input(text, false)
    if (spelledEnd(input, at, opening, 0) >= 0 || input.touchedEnd) return at
  }
  return text.length
}

const letter = fc.oneof(
  fc.constantFrom(...'a7+ =&%\\"/<\n', 'é', '—', '😀'),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
)
const value = fc.array(letter, { minLength: 1, maxLength: 12 }).map((letters) => letters.join(''))

/** How programs write a value. */
const spellings: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => JSON.stringify(text).slice(1, -1),
  (text) => JSON.stringify(JSON.stringify(text)).slice(1, -1),
  (text) => encodeURIComponent(text.replace(/\p{Surrogate}/gu, '')),
  (text) => text.replaceAll(' ', '+'),
  (text) => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&#60;'),
  (text) => text.replaceAll('=', '=3D'),
  (text) => Buffer.from(text).toString('latin1'),
  (text) => [...text].map((char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`).join(''),
  (text) => [...Buffer.from(text)].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join(''),
  (text) => [...Buffer.from(text)].map((byte) => `=${byte.toString(16).padStart(2, '0')}`).join(''),
]

it('the beginning of a value at the end of a text is found in every spelling', () => {
  fc.assert(
    fc.property(
      value,
      fc.constantFrom(...spellings),
      fc.array(letter, { maxLength: 40 }),
      fc.nat(),
      (known, spell, before, cut) => {
        const opening = spelled(known)
        const written = spell(known)
        const text = before.join('') + written.slice(0, cut % (written.length + 1))
        expect(openingIn(opening)(text)).toBe(slowOpening(text, opening))
      },
    ),
    { numRuns: 3000 },
  )
})
