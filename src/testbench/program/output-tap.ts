/**
 * Counts and hashes what the program writes to stdout and stderr, scrubbed, without touching it. The streams
 * are wrapped when the program first reads them: Node creates them then.
 */
import { type Blake3Stream, type ContentHash, createBlake3 } from '../../base/index.ts'
import type { Patch } from '../../boundaries/patches.ts'
import { throughStream, watchDescriptors } from '../../boundaries/stdio/written-by-descriptor.ts'
import type { Scrubber, StreamScrubber } from '../../scrub/index.ts'

/** What a program wrote to one of its streams, scrubbed. */
type OutputFacts = { readonly bytes: number; readonly hash: ContentHash }

export type OutputTap = {
  readonly patch: Patch
  /** What was written past the stream. */
  saw(bytes: Uint8Array): void
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
    if (typeof chunk === 'string')
      add(
        scrub.push(Buffer.from(chunk, typeof encoding === 'string' ? (encoding as BufferEncoding) : 'utf8')),
      )
    else if (chunk instanceof Uint8Array) add(scrub.push(chunk))
  }

  return {
    saw: (chunk) => saw(chunk, null),
    patch: { owner, property: name, replace: (original) => tappedProperty(original, saw) },
    facts() {
      if (scrub !== null) add(scrub.end())
      hash ??= createBlake3()
      return { bytes, hash: hash.digest() }
    },
  }
}

/** Both taps hear also of what goes to their descriptors past the streams. */
export function tapDescriptors(stdout: OutputTap, stderr: OutputTap): Disposable {
  return watchDescriptors((fd, bytes) => (fd === 1 ? stdout : stderr).saw(bytes))
}

/**
 * The accessor of `process.stdout`, which gives the same stream as before with a watched `write`.
 */
function tappedProperty(
  original: PropertyDescriptor,
  saw: (chunk: unknown, encoding: unknown) => void,
): PropertyDescriptor {
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
          return throughStream(() => Reflect.apply(write, this, args))
        }
      }
      return stream
    },
  }
}
