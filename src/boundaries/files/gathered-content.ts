/**
 * Content that `fs.promises.writeFile` receives in pieces: a stream, or an iterable. It is collected first,
 * in both modes.
 */
import { bytesOf, isContent } from './whole-file.ts'

type Pieces = AsyncIterable<unknown> | Iterable<unknown>

export function isGathered(data: unknown): data is Pieces {
  if (isContent(data) || typeof data !== 'object' || data === null) return false
  return Symbol.asyncIterator in data || Symbol.iterator in data
}

export async function gatheredContent(data: Pieces, encoding: string | null = null): Promise<Uint8Array> {
  const pieces: Uint8Array[] = []
  for await (const piece of data) pieces.push(Uint8Array.from(bytesOf(piece, encoding)))
  return Buffer.concat(pieces)
}
