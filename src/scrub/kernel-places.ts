/** What the kernel of the probe scan has found in its text: it reports hashes, and these functions compare the bytes. */
import { codeRun } from './code-alphabet.ts'
import type { KnownIndex } from './known-index.ts'
import { PROBE } from './probe-index.ts'
import { BLOCK, type ProbeKernel } from './probe-kernel.ts'
import { WINDOW } from './window-hash.ts'

/** Whether one of the places that the kernel has found has such a key. */
export function isIn(
  keys: { has(key: number): boolean },
  kernel: ProbeKernel,
  count: number,
  length: number,
): boolean {
  for (let index = 0; index < count; index += 1) {
    const at = kernel.found[index] ?? 0
    if (at + PROBE <= length && keys.has(kernel.text.readInt32LE(at))) return true
  }
  return false
}

/** Whether the text has a window of a known value. */
export function hasWindow(kernel: ProbeKernel, length: number, index: KnownIndex): boolean {
  if (index.isEmpty) return false
  const count = kernel.sample(length, index.shift)
  for (let place = 0; place < count; place += 1)
    if (isWindowAt(kernel, kernel.found[place] ?? 0, length, index)) return true
  return false
}

export function isWindowAt(kernel: ProbeKernel, at: number, length: number, index: KnownIndex): boolean {
  return at + WINDOW <= length && index.hasWindow(kernel.text.readInt32LE(at), kernel.text[at + 4] ?? 0)
}

/** Adds the offsets of runs of codes; `base` is the offset of the kernel's text. */
export function addCodes(kernel: ProbeKernel, length: number, base: number, codes: number[]): void {
  const count = kernel.codes(length)
  let done = 0
  for (let index = 0; index < count; index += 1) {
    const at = kernel.found[index] ?? 0
    if (at < done || at + BLOCK > length) continue
    const { hasCodes, end } = codeRun(kernel.text, at, done, length)
    if (hasCodes) codes.push(base + at)
    done = end
  }
}
