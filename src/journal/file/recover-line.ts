/**
 * Finds the whole records in a line that is not one record: two glued together, a torn one with the next
 * glued to it, one behind a run of NUL bytes. Gives them in order, each as its own text, and counts what is
 * left over. Pure.
 */
import { JsonScanError, mayBeObject, parseJson, scanJson } from '../../base/index.ts'

export type LineDamage =
  | 'torn'
  | 'nul'
  | 'glued'
  | 'not-json'
  | 'not-utf8'
  | 'too-long'
  | 'too-deep'
  | 'invalid'

export type Recovered = {
  readonly damage: LineDamage
  readonly records: readonly { readonly text: string; readonly value: unknown }[]
  /** Characters, NUL bytes apart, that belong to no record. */
  readonly lost: number
}

/** `isRecord` returns false for an object that was nested inside a torn record. */
export function recoverLine(line: string, isRecord: (value: unknown) => boolean): Recovered {
  const nul = line.includes('\0')
  const text = nul ? line.replaceAll('\0', ' ') : line
  const records: { text: string; value: unknown }[] = []
  let lost = 0
  let at = nextObject(text, 0)
  lost += weight(text.slice(0, at))
  // A hostile line could make every brace a scan to its end; real damage needs a few.
  const budget = { left: 8 * text.length + 1_000_000 }
  while (at < text.length) {
    const end = budget.left > 0 ? objectEnd(text, at, budget) : null
    const value: unknown = end === null ? undefined : parseJson(text.slice(at, end))
    const whole = end !== null && isRecord(value)
    if (whole) records.push({ text: text.slice(at, end), value })
    // A complete object that is not a record was nested inside a torn one: skip it with its content.
    const next = nextObject(text, end ?? at + 1)
    lost += weight(text.slice(whole ? end : at, next))
    at = budget.left > 0 ? next : text.length
  }
  return { damage: damageOf(nul, records.length, text), records, lost }
}

function damageOf(nul: boolean, records: number, text: string): LineDamage {
  if (nul) return 'nul'
  if (records > 0) return 'glued'
  return text.trimStart().startsWith('{') ? 'torn' : 'not-json'
}

function nextObject(text: string, from: number): number {
  const at = text.indexOf('{', from)
  return at === -1 ? text.length : at
}

function objectEnd(text: string, at: number, budget: { left: number }): number | null {
  if (!mayBeObject(text, at) || !text.includes('}', at)) {
    budget.left -= 16
    return null
  }
  try {
    const end = scanJson(text, () => undefined, at)
    budget.left -= end - at
    return end
  } catch (error) {
    // Not JSON from here: the caller goes on to the next brace. The throw itself costs as much as a thousand
    // characters.
    if (!(error instanceof JsonScanError)) throw error
    budget.left -= error.offset - at + 1000
    return null
  }
}

function weight(text: string): number {
  return text.trim().length
}
