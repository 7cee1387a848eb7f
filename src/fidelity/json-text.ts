/**
 * Canonical JSON text of a value of any depth: a hostile record may nest deeper than the stack of a recursive
 * printer.
 */
import { canonicalJson, compareUtf8, type Json, JsonScanError } from '../base/index.ts'

export function jsonText(value: Json): string {
  try {
    return canonicalJson(value)
  } catch (error) {
    if (error instanceof JsonScanError && error.reason === 'depth') return deepJsonText(value)
    throw error
  }
}

/** The same text, with a stack of its own. */
function deepJsonText(root: Json): string {
  const parts: string[] = []
  const rest: ({ readonly value: Json } | { readonly text: string })[] = [{ value: root }]
  for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
    if ('text' in next) parts.push(next.text)
    else if (typeof next.value !== 'object' || next.value === null) parts.push(canonicalJson(next.value))
    else if (Array.isArray(next.value)) {
      rest.push({ text: ']' })
      for (let at = next.value.length - 1; at >= 0; at -= 1)
        rest.push({ value: next.value[at] }, { text: at === 0 ? '' : ',' })
      parts.push('[')
    } else {
      const fields = Object.entries(next.value as { readonly [key: string]: Json }).sort(([a], [b]) =>
        compareUtf8(b, a),
      )
      rest.push({ text: '}' })
      for (const [at, [key, field]] of fields.entries())
        rest.push({ value: field }, { text: `${at === fields.length - 1 ? '' : ','}${JSON.stringify(key)}:` })
      parts.push('{')
    }
  }
  return parts.join('')
}
