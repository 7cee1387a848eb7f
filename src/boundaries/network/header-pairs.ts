/** The header lines of an HTTP/1 message as names and values. */
import type { HeaderList } from '../session.ts'

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
export const CONTROL_CHARACTER: RegExp = /[\0-\x08\x0a-\x1f\x7f]/

/** The same as `headerPairs`; null for a line with a control character. */
export function checkedPairs(lines: readonly string[], from: number): HeaderList | null {
  return lines.some((line, at) => at >= from && CONTROL_CHARACTER.test(line))
    ? null
    : headerPairs(lines, from)
}

/**
 * The headers in the lines from `from` on. Names and values unchanged, without the space around a value. A folded
 * line belongs to the one before it. Null if one has no name, or a character that llhttp rejects: such bytes reach
 * the client unchanged, and it fails as it would without us.
 */
export function headerPairs(lines: readonly string[], from: number): HeaderList | null {
  const pairs: [name: string, value: string][] = []
  for (let at = from; at < lines.length; at += 1) {
    const line = lines[at] ?? ''
    if (isBlank(line[0])) {
      const last = pairs.at(-1)
      if (last === undefined) return null
      last[1] = trimmed(`${last[1]} ${trimmed(line)}`)
      continue
    }
    const colon = line.indexOf(':')
    const name = line.slice(0, Math.max(0, colon))
    if (!TOKEN.test(name)) return null
    pairs.push([name, trimmed(line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1))])
  }
  return pairs
}

export function trimmed(value: string): string {
  return isBlank(value[0]) || isBlank(value[value.length - 1]) ? value.replace(/^[ \t]+|[ \t]+$/g, '') : value
}

function isBlank(character: string | undefined): boolean {
  return character === ' ' || character === '\t'
}
