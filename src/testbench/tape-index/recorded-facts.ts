/**
 * Variables and facts of process and machine that the recorded run read, by name: each read has its value, in
 * the recorded order. A program that read all variables at once has read each of them, also one that was not
 * set.
 *
 * Decision 0395.
 */
import { fieldsOf, type Json, textOf } from '../../base/index.ts'
import { tryParseJson } from '../../base/parse-json.ts'
import type { Kind } from '../../tape/index.ts'

/** `extra`: the read is one more than was recorded, and repeats the last value. */
export type RecordedFact = {
  readonly value: string | null
  readonly extra: boolean
  readonly scrubbed: number
}

type Reads = { readonly values: Omit<RecordedFact, 'extra'>[]; next: number }

const VARIABLES = 'process.env'
const ALL = `${VARIABLES} *`

export class RecordedFacts {
  readonly #reads = new Map<string, Reads>()
  /** Of a read of all variables; made when the first one is read by its name. */
  #all: { readonly [name: string]: Json } | null = null

  add({ api, name, value }: Kind<'env_read'>, scrubbed: number): void {
    const key = `${api ?? VARIABLES} ${name}`
    const reads = this.#reads.get(key) ?? { values: [], next: 0 }
    reads.values.push({ value, scrubbed })
    this.#reads.set(key, reads)
  }

  /** The next value; undefined for a name that the recorded run never read. */
  next(api: string, name: string): RecordedFact | undefined {
    const known = this.#reads.get(`${api} ${name}`)
    if (known === undefined) return this.#ofAll(api, name)
    const extra = known.next >= known.values.length
    const fact = known.values[Math.min(known.next, known.values.length - 1)]
    known.next += 1
    return { value: null, scrubbed: 0, ...fact, extra }
  }

  has(api: string, name: string): boolean {
    return this.#reads.has(`${api} ${name}`) || (api === VARIABLES && this.#reads.has(ALL))
  }

  /** The first value, without taking it. */
  peek(api: string, name: string): string | null | undefined {
    return this.#reads.get(`${api} ${name}`)?.values[0]?.value
  }

  #ofAll(api: string, name: string): RecordedFact | undefined {
    const [first] = this.#reads.get(ALL)?.values ?? []
    if (api !== VARIABLES || first === undefined) return undefined
    this.#all ??= fieldsOf(tryParseJson(first.value ?? ''))
    const value = Object.hasOwn(this.#all, name) ? textOf(this.#all[name]) : null
    return { value, extra: true, scrubbed: value === null ? 0 : first.scrubbed }
  }
}
