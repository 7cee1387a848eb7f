/**
 * The probes of a scan: who wants to know of four bytes. Probes are read and indexed when a text is first scanned after
 * they were added.
 */
import { ProbeBeginnings } from './probe-beginnings.ts'
import { FLAG_BITS, hash } from './probe-kernel.ts'

export const PROBE = 4

type Added<T> = { readonly probes: () => readonly string[]; readonly owner: T; readonly atWordStart: boolean }

export class ProbeIndex<T> {
  /** 1 for each hash of a probe. */
  readonly flags = new Uint8Array(1 << FLAG_BITS)
  readonly owners = new Map<number, readonly T[]>()
  /** Probes without an owner: it only counts whether one is there. */
  readonly hints = new Set<number>()
  readonly beginnings = new ProbeBeginnings()
  #added: Added<T>[] = []
  #addedHints: (() => readonly string[])[] = []
  readonly #indexed: (key: number) => void

  /** `indexed` is called with the four bytes of a new probe. */
  constructor(indexed: (key: number) => void) {
    this.#indexed = indexed
  }

  add(added: Added<T>): void {
    this.#added.push(added)
  }

  addHint(probes: () => readonly string[]): void {
    this.#addedHints.push(probes)
  }

  *keys(): Generator<number> {
    yield* this.owners.keys()
    yield* this.hints
  }

  indexNew(): void {
    if (this.#added.length > 0) this.#indexAdded()
    if (this.#addedHints.length > 0) this.#indexHints()
  }

  #indexAdded(): void {
    for (const added of this.#added) {
      const alone = [added.owner]
      for (const probe of added.probes())
        forEachKey(probe, (key) => {
          const owners = this.owners.get(key)
          if (owners === undefined) {
            this.owners.set(key, alone)
            this.#flag(key)
          } else if (!owners.includes(added.owner)) this.owners.set(key, [...owners, added.owner])
        })
      this.beginnings.add(added)
    }
    this.#added = []
  }

  #indexHints(): void {
    for (const probes of this.#addedHints)
      for (const probe of probes())
        forEachKey(probe, (key) => {
          this.hints.add(key)
          this.#flag(key)
        })
    this.#addedHints = []
  }

  #flag(key: number): void {
    this.flags[hash(key)] = 1
    this.#indexed(key)
  }
}

/** The four bytes of each spelling of a probe: three characters, then one of those that follow. */
function forEachKey(probe: string, each: (key: number) => void): void {
  const start =
    (probe.charCodeAt(0) & 255) | ((probe.charCodeAt(1) & 255) << 8) | ((probe.charCodeAt(2) & 255) << 16)
  for (let at = PROBE - 1; at < probe.length; at += 1) each(start | ((probe.charCodeAt(at) & 255) << 24))
}
