/**
 * Counts and hashes what the program writes to stdout and stderr, scrubbed, without changing it. The streams
 * are wrapped when the program first reads them: Node creates them then.
 */
import { type Blake3Stream, type ContentHash, createBlake3 } from '../../base/index.ts'
import type { Patch } from '../../boundaries/patches.ts'
import type { Session } from '../../boundaries/session.ts'
import { type OutputStream, openedOutput } from '../../boundaries/stdio/output-terminals.ts'
import { throughStream, watchDescriptors } from '../../boundaries/stdio/written-by-descriptor.ts'
import type { Scrubber, StreamScrubber } from '../../scrub/index.ts'

/** What a program wrote to one of its streams, scrubbed. */
type OutputFacts = { readonly bytes: number; readonly hash: ContentHash }

export type OutputTap = {
  readonly patch: Patch
  /** What was written without the stream. */
  saw(bytes: Uint8Array): void
  /** The total of what was written. Ends the tap. */
  facts(): OutputFacts
}

export function createOutputTap(
  owner: object,
  name: 'stdout' | 'stderr',
  scrubber: Scrubber,
  session: Session,
  /** Whether what is written now comes from the program. */
  isCounted: () => boolean = () => true,
): OutputTap {
  let scrub: StreamScrubber | null = null
  let hash: Blake3Stream | null = null
  let bytes = 0

  const add = (clean: Uint8Array): void => {
    hash ??= createBlake3()
    hash.update(clean)
    bytes += clean.byteLength
  }

  const saw = (chunk: unknown, encoding: unknown): void => {
    if (!isCounted()) return
    scrub ??= scrubber.stream('received')
    if (typeof chunk === 'string')
      add(
        scrub.push(Buffer.from(chunk, typeof encoding === 'string' ? (encoding as BufferEncoding) : 'utf8')),
      )
    else if (chunk instanceof Uint8Array) add(scrub.push(chunk))
  }

  const opened = (open: () => OutputStream): OutputStream => openedOutput(session, name, open)

  return {
    saw: (chunk) => saw(chunk, null),
    patch: { owner, property: name, replace: (original) => tappedProperty(original, saw, opened) },
    facts() {
      if (scrub !== null) add(scrub.end())
      hash ??= createBlake3()
      return { bytes, hash: hash.digest() }
    },
  }
}

/** Both taps also receive what is written to their descriptors without the streams. */
export function tapDescriptors(stdout: OutputTap, stderr: OutputTap): Disposable {
  return watchDescriptors((fd, bytes) => (fd === 1 ? stdout : stderr).saw(bytes))
}

/** The accessor of `process.stdout`, which returns the same stream as before with a watched `write`. */
function tappedProperty(
  original: PropertyDescriptor,
  saw: (chunk: unknown, encoding: unknown) => void,
  opened: (open: () => OutputStream) => OutputStream,
): PropertyDescriptor {
  const { get } = original
  if (get === undefined) return original
  let tapped: object | null = null
  return {
    ...original,
    get() {
      const open = (): OutputStream => get.call(this)
      const stream = tapped === null ? opened(open) : open()
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
