/** Entities of HTML and XML: numbers, and the names of the characters that markup reserves. */
import type { Input } from './input.ts'

/** `&#x0001f600;` */
const LONGEST = 12
const ENTITY = /^&(?:#(?:x([0-9a-f]{1,8})|([0-9]{1,8}))|(amp|lt|gt|quot|apos));/i
const NAMES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

/** The end of the entity at `at`, if it is that of this character; -1 if not. */
export function entityEnd(input: Input, at: number, char: string): number {
  const text = input.text.slice(at, at + LONGEST)
  const end = text.indexOf(';')
  if (end >= 0) return isEntityOf(text.slice(0, end + 1), char) ? at + end + 1 : -1
  if (text.length < LONGEST && BEGUN.test(text)) input.touchedEnd = true
  return -1
}
const BEGUN = /^&(?:#(?:x?[0-9a-f]*)?|[a-z]{0,4})$/i

/** The beginning of the entity that ends at `at`, if it is that of this character; -1 if not. */
export function entityStart(text: string, at: number, char: string): number {
  const start = text.lastIndexOf('&', at - 1)
  return start >= 0 && at - start <= LONGEST && isEntityOf(text.slice(start, at), char) ? start : -1
}

function isEntityOf(entity: string, char: string): boolean {
  const [whole, hex, decimal, name] = ENTITY.exec(entity) ?? []
  if (whole !== entity) return false
  if (name !== undefined) return NAMES[name.toLowerCase()] === char
  const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16)
  return code === char.codePointAt(0)
}
