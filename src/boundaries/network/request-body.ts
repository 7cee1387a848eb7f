/**
 * The body of a request, taken in whole before the effect starts: it is part of what makes a request equal to a recorded one. It is pulled in the
 * program's own context, in both modes alike, so that an upload stream runs in a replay as it ran when recorded. One that is made while it is sent
 * is the business of upload.ts.
 */
export type BodySource = unknown

export type CollectedBody = { readonly bytes: Uint8Array | null; readonly chunks: readonly Uint8Array[] }

/** Null if it can only be had by waiting: then use `collectBody`. */
export function bodyAtHand(body: BodySource): CollectedBody | null {
  if (body === null || body === undefined) return { bytes: null, chunks: [] }
  if (typeof body === 'string') return whole(Buffer.from(body))
  if (body instanceof Uint8Array) return whole(body)
  if (body instanceof ArrayBuffer) return whole(new Uint8Array(body))
  return null
}

export async function collectBody(body: BodySource): Promise<CollectedBody> {
  const chunks: Uint8Array[] = []
  for await (const chunk of body as AsyncIterable<unknown>)
    chunks.push(typeof chunk === 'string' ? Buffer.from(chunk) : new Uint8Array(chunk as Uint8Array))
  return { bytes: Buffer.concat(chunks), chunks }
}

export function isIterable(body: BodySource): boolean {
  return typeof body === 'object' && body !== null && (Symbol.asyncIterator in body || Symbol.iterator in body)
}

/** What is sent in its place: the same bytes in the same form, so that the server sees the same framing. */
export function bodyToSend(original: BodySource, collected: CollectedBody): unknown {
  if (bodyAtHand(original) !== null) return original
  return (async function* () {
    yield* collected.chunks
  })()
}

function whole(bytes: Uint8Array): CollectedBody {
  return { bytes, chunks: [bytes] }
}
