/**
 * A request body that the program makes while it is being sent. What it gives goes on to the world as it
 * comes, so the server sees the first byte as early as without us. The effect starts when the body is whole:
 * it is part of what makes a request equal to a recorded one.
 *
 * The program's source is read as fast as it gives, in both modes alike: how fast the world takes it would be
 * one more input. If the answer comes before the body is whole, that is an outcome of the upload, and the
 * effect starts with what there is.
 */
import type { BodySource, CollectedBody } from './dispatched-request.ts'

export type Upload = {
  /** For the world, from the first chunk on. Fails as the program's source does. */
  readonly passedOn: AsyncIterable<Uint8Array>
  /** Settles when the program's source has ended. */
  readonly whole: Promise<void>
  soFar(): CollectedBody
}

export function startUpload(source: BodySource): Upload {
  const chunks: Uint8Array[] = []
  let end: { readonly error: unknown } | 'whole' | null = null
  let more = signal()

  const read = async (): Promise<void> => {
    try {
      for await (const chunk of source as AsyncIterable<unknown>) {
        chunks.push(typeof chunk === 'string' ? Buffer.from(chunk) : new Uint8Array(chunk as Uint8Array))
        more.give()
      }
      end = 'whole'
    } catch (error) {
      end = { error }
      throw error
    } finally {
      more.give()
    }
  }

  async function* passedOn(): AsyncGenerator<Uint8Array, void, undefined> {
    for (let at = 0; ; at += 1) {
      while (at >= chunks.length && end === null) {
        more = signal()
        await more.given
      }
      const chunk = chunks[at]
      if (chunk !== undefined) yield chunk
      else if (end === 'whole' || end === null) return
      else throw end.error
    }
  }

  return {
    passedOn: passedOn(),
    whole: read(),
    soFar: () => ({ bytes: Buffer.concat(chunks), chunks: [...chunks] }),
  }
}

function signal(): { readonly given: Promise<void>; give(): void } {
  let give = (): void => undefined
  const given = new Promise<void>((resolve) => {
    give = resolve
  })
  return { given, give: () => give() }
}
