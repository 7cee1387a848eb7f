/**
 * Counts and hashes what the program writes to stdout and stderr, scrubbed, without touching it. The streams are looked at when the program first
 * asks for them: Node makes them then.
 */
import { type Blake3Stream, type ContentHash, createBlake3 } from '../base/index.ts'
import type { Patch } from '../boundaries/patches.ts'
import type { Scrubber, StreamScrubber } from '../scrub/index.ts'

export type OutputFacts = { readonly bytes: number; readonly hash: ContentHash }

export type OutputTap = {
  readonly patch: Patch
  /** What was written in all. Ends the tap. */
  facts(): OutputFacts
}

export function createOutputTap(owner: object, name: 'stdout' | 'stderr', scrubber: Scrubber): OutputTap {
  let scrub: StreamScrubber | null = null
  let hash: Blake3Stream | null = null
  let bytes = 0

  const add = (clean: Uint8Array): void => {
    hash ??= createBlake3()
    hash.update(clean)
    bytes += clean.byteLength
  }

  const saw = (chunk: unknown, encoding: unknown): void => {
    scrub ??= scrubber.stream('received')
    if (typeof chunk === 'string') add(scrub.push(Buffer.from(chunk, typeof encoding === 'string' ? (encoding as BufferEncoding) : 'utf8')))
    else if (chunk instanceof Uint8Array) add(scrub.push(chunk))
  }

  return {
    patch: { owner, property: name, replace: (original) => tappedProperty(original, saw) },
    facts() {
      if (scrub !== null) add(scrub.end())
      hash ??= createBlake3()
      return { bytes, hash: hash.digest() }
    },
  }
}

/** The accessor of `process.stdout`, which gives the same stream as before with a `write` that is looked at. */
function tappedProperty(original: PropertyDescriptor, saw: (chunk: unknown, encoding: unknown) => void): PropertyDescriptor {
  const { get } = original
  if (get === undefined) return original
  let tapped: object | null = null
  return {
    ...original,
    get() {
      const stream: { write(...args: unknown[]): unknown } = get.call(this)
      if (tapped !== stream) {
        tapped = stream
        const { write } = stream
        stream.write = function (this: unknown, ...args: unknown[]): unknown {
          saw(args[0], args[1])
          return Reflect.apply(write, this, args)
        }
      }
      return stream
    },
  }
}
