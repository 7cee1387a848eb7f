/**
 * JSON text on several lines, two spaces a level, as in Harn's files: every scalar keeps its spelling, the
 * order is kept.
 */
import { scanWholeJson } from '../../base/index.ts'

export function prettyJson(text: string): string {
  const parts: string[] = []
  /** For each open container: its number of entries. */
  const counts: number[] = []
  let afterKey = false
  const begin = (): void => {
    if (afterKey) {
      afterKey = false
      return
    }
    const last = counts.length - 1
    if (last < 0) return
    const count = counts[last] ?? 0
    parts.push(`${count === 0 ? '' : ','}\n${'  '.repeat(counts.length)}`)
    counts[last] = count + 1
  }
  scanWholeJson(text, (token) => {
    switch (token.type) {
      case 'open-object':
      case 'open-array':
        begin()
        parts.push(token.type === 'open-object' ? '{' : '[')
        counts.push(0)
        return
      case 'close-object':
      case 'close-array': {
        const count = counts.pop() ?? 0
        if (count > 0) parts.push(`\n${'  '.repeat(counts.length)}`)
        parts.push(token.type === 'close-object' ? '}' : ']')
        return
      }
      case 'key':
        begin()
        parts.push(`${text.slice(token.start, token.end)}: `)
        afterKey = true
        return
      case 'string':
      case 'number':
      case 'literal':
        begin()
        parts.push(text.slice(token.start, token.end))
    }
  })
  return parts.join('')
}
