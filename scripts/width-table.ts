/** The table of character widths as text: see write-width-table.ts. */
import enclosingMarks from '@unicode/unicode-14.0.0/General_Category/Enclosing_Mark/code-points.mjs'
import formatCharacters from '@unicode/unicode-14.0.0/General_Category/Format/code-points.mjs'
import nonspacingMarks from '@unicode/unicode-14.0.0/General_Category/Nonspacing_Mark/code-points.mjs'
import unassignedCodePoints from '@unicode/unicode-14.0.0/General_Category/Unassigned/code-points.mjs'
import { getEAW } from 'meaw'

const LAST = 0x3ffff
const isSurrogate = (codePoint: number): boolean => codePoint >= 0xd800 && codePoint <= 0xdfff

/**
 * Marks that stand before a number or word and have a width of their own, although they are format
 * characters; and the soft hyphen, which terminals show. U+0890 and U+0891, new in Unicode 14, are left out
 * on purpose: the table of 0.1 has them at 0, and another table would need another `WIDTHS_VERSION`.
 */
const WITH_WIDTH = new Set([
  0xad, 0x600, 0x601, 0x602, 0x603, 0x604, 0x605, 0x6dd, 0x70f, 0x8e2, 0x110bd, 0x110cd,
])

export function widthTableText(): string {
  return `/** Written by scripts/write-width-table.ts from the data of Unicode 14. Do not edit. */

// Ranges as distances from the end of the range before, in hex: \`first\` or \`first+length\`.
export const WIDE =
${asConstant(ranges(isWide))}
// Also where a code point is in both.
export const ZERO =
${asConstant(ranges(isZero))}
`
}

function isWide(codePoint: number): boolean {
  const width = getEAW(String.fromCodePoint(codePoint))
  return width === 'W' || width === 'F'
}

const zero = new Set<number>([...nonspacingMarks, ...enclosingMarks, ...formatCharacters])

function isZero(codePoint: number): boolean {
  // The vowels and finals of Hangul are drawn over the initial before them.
  const isHangulPart = codePoint >= 0x1160 && codePoint <= 0x11ff
  return isHangulPart || (zero.has(codePoint) && !WITH_WIDTH.has(codePoint))
}

const unassigned = new Set<number>(unassignedCodePoints)

/** The ranges that have a property. Unassigned code points between two that have it belong to the range. */
function ranges(has: (codePoint: number) => boolean): string[] {
  const members = Array.from({ length: LAST + 1 }, (_, codePoint) => {
    // The ideographic planes are wide, assigned or not, up to their noncharacters.
    if (codePoint >= 0x20000 && codePoint <= 0x3fffd) return has === isWide
    if (codePoint < 0xa0 || isSurrogate(codePoint)) return false
    return unassigned.has(codePoint) ? null : has(codePoint)
  })
  const found: string[] = []
  let end = 0
  for (let first = members.indexOf(true); first !== -1; first = members.indexOf(true, end + 1)) {
    const next = members.indexOf(false, first)
    const last = members.lastIndexOf(true, next === -1 ? LAST : next)
    const distance = (first - end).toString(16)
    found.push(last === first ? distance : `${distance}+${(last - first).toString(16)}`)
    end = last
  }
  return found
}

/** Lines of at most 110 characters. */
function asConstant(words: readonly string[]): string {
  const lines: string[] = ['']
  for (const word of words) {
    const line = lines.at(-1) ?? ''
    if (line.length + word.length > 100) lines.push(`${word} `)
    else lines[lines.length - 1] = `${line}${word} `
  }
  return lines.map((line, at) => `  '${at === lines.length - 1 ? line.trimEnd() : line}'`).join(' +\n')
}
