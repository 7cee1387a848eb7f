/**
 * Which of the removed files became which of the new ones: first by equal content, then by similarity. Half
 * of the content equal is a rename, as for git. Each file is used once; the best pair first. The caller
 * excludes links.
 */

import { linesOf } from '../../../base/hunks.ts'
import type { Blob } from './blob.ts'

export type Rename = { readonly from: string; readonly to: string; readonly similarity: number }

const LEAST_SIMILARITY = 50
/** Above this number of pairs only equal content is searched for. */
const MAX_PAIRS = 10_000

export function findRenames(gone: ReadonlyMap<string, Blob>, made: ReadonlyMap<string, Blob>): Rename[] {
  const renames: Rename[] = []
  const [from, to] = [new Map(gone), new Map(made)]
  const use = (rename: Rename): void => {
    if (!from.delete(rename.from)) return
    if (!to.delete(rename.to)) from.set(rename.from, gone.get(rename.from) as Blob)
    else renames.push(rename)
  }
  const byName = new Map<string, string[]>()
  for (const [path, blob] of from)
    if (blob.bytes.byteLength > 0) byName.set(blob.name, [...(byName.get(blob.name) ?? []), path])
  for (const [path, blob] of to) {
    const source = byName.get(blob.name)?.find((each) => from.has(each))
    if (source !== undefined) use({ from: source, to: path, similarity: 100 })
  }
  if (from.size * to.size <= MAX_PAIRS) for (const rename of alike(from, to)) use(rename)
  return renames
}

function alike(from: ReadonlyMap<string, Blob>, to: ReadonlyMap<string, Blob>): Rename[] {
  const pairs: Rename[] = []
  for (const [source, old] of from) {
    if (old.text === null || old.text === '') continue
    const counts = countLines(old.text)
    for (const [target, blob] of to) {
      if (blob.text === null) continue
      const similarity = similarityOf(counts, old, blob, blob.text)
      if (similarity >= LEAST_SIMILARITY) pairs.push({ from: source, to: target, similarity })
    }
  }
  return pairs.sort((a, b) => b.similarity - a.similarity)
}

function similarityOf(counts: ReadonlyMap<string, number>, old: Blob, blob: Blob, text: string): number {
  const largest = Math.max(old.bytes.byteLength, blob.bytes.byteLength)
  if (Math.min(old.bytes.byteLength, blob.bytes.byteLength) * 2 < largest) return 0
  const left = new Map(counts)
  let common = 0
  for (const line of linesOf(text)) {
    const count = left.get(line) ?? 0
    if (count === 0) continue
    left.set(line, count - 1)
    common += Buffer.byteLength(line)
  }
  // Only equal content is 100.
  return Math.min(99, Math.floor((common * 100) / largest))
}

function countLines(text: string): Map<string, number> {
  const counts = new Map<string, number>()
  for (const line of linesOf(text)) counts.set(line, (counts.get(line) ?? 0) + 1)
  return counts
}
