/**
 * Finds the whole records in a line that is not one record: two glued together, a torn one with the next glued to it, one behind a run of NUL
 * bytes. Gives them in order, each as its own text, and counts what is left over. Pure.
 */
import { JsonScanError, scanJson } from '../../base/index.ts'

export type LineDamage = 'torn' | 'nul' | 'glued' | 'not-json' | 'not-utf8' | 'too-long' | 'too-deep' | 'invalid'

export type Recovered = {
  readonly damage: LineDamage
  readonly records: readonly { readonly text: string; readonly value: unknown }[]
  /** Characters, NUL bytes apart, that belong to no record. */
  readonly lost: number
}

/** `isRecord` tells a record from an object that merely stood inside a torn one. */
export function recoverLine(line: string, isRecord: (value: unknown) => boolean): Recovered {
  const nul = line.includes('\0')
  const text = nul ? line.replaceAll('\0', ' ') : line
  const records: { text: string; value: unknown }[] = []
  let lost = 0
  let at = nextObject(text, 0)
  lost += weight(text.slice(0, at))
  // A hostile line could make every brace a scan to its end; real damage needs a few.
  const budget = { left: 16 * text.length + 1_000_000 }
  while (at < text.length) {
    const end = budget.left > 0 ? objectEnd(text, at, budget) : null
    const value: unknown = end === null ? undefined : JSON.parse(text.slice(at, end))
    if (end !== null && isRecord(value)) {
      records.push({ text: text.slice(at, end), value })
      const next = nextObject(text, end)
      lost += weight(text.slice(end, next))
      at = next
    } else {
      const next = nextObject(text, at + 1)
      lost += weight(text.slice(at, next))
      at = next
    }
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
  try {
    return scanJson(text, () => undefined, at)
  } catch (error) {
    // Not JSON from here: the caller goes on to the next brace.
    if (!(error instanceof JsonScanError)) throw error
    budget.left -= error.offset - at
    return null
  }
}

function weight(text: string): number {
  return text.trim().length
}
