/**
 * Everything that the page asks of one cassette, from its document and its output. Pure: the parts come from
 * disk, a bundle or an export.
 */
import type { ItemMethods } from '../protocol/source.ts'
import type { CassetteChunks, CassetteDocument, CassetteFrame, ScreenHit } from '../protocol/terminal.ts'

export type CassetteParts = {
  readonly document: CassetteDocument
  readonly chunks: CassetteChunks['chunks']
  readonly frames: readonly CassetteFrame[]
}

type CassetteMethod = 'cassette' | 'cassetteChunks' | 'cassetteFrames' | 'cassetteOutput' | 'cassetteSearch'
export type CassetteView = ItemMethods<CassetteMethod>

const MAX_CHUNKS = 5000
const MAX_FRAMES = 100
const MAX_HITS = 500
const MAX_RANGE_BYTES = 4 * 1024 * 1024

export function createCassetteView(
  parts: CassetteParts,
  output: (from: number, to: number) => Promise<Uint8Array>,
): CassetteView {
  return {
    cassette: async () => parts.document,
    cassetteChunks: async (from) => ({ from, chunks: parts.chunks.slice(from, from + MAX_CHUNKS) }),
    cassetteFrames: async (from, count) => ({
      from,
      frames: parts.frames.slice(from, from + Math.min(count, MAX_FRAMES)),
    }),
    async cassetteOutput(from, to) {
      const start = Math.min(Math.max(0, Math.floor(from)), parts.document.outputBytes)
      const end = Math.min(Math.floor(to), start + MAX_RANGE_BYTES, parts.document.outputBytes)
      return end <= start ? new Uint8Array() : await output(start, end)
    },
    cassetteSearch: async (text) => screenHits(parts.frames, text),
  }
}

/** Each place where the text appears and was not in the frame before. */
function screenHits(frames: readonly CassetteFrame[], text: string): ScreenHit[] {
  const wanted = text.toLowerCase()
  const hits: ScreenHit[] = []
  if (wanted === '') return hits
  let before = new Set<number>()
  for (const { frame, atMs, text: lines } of frames) {
    const now = new Set<number>()
    for (const [line, content] of lines.entries()) {
      if (!content.toLowerCase().includes(wanted)) continue
      now.add(line)
      if (before.has(line)) continue
      hits.push({ frame, atMs, line, text: content.slice(0, 500) })
      if (hits.length === MAX_HITS) return hits
    }
    before = now
  }
  return hits
}
