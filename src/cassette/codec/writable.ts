/**
 * `Writable<T>`: a record whose every free string, byte array and JSON value came from the scrubber. The same
 * promise as `Scrubbed<T>`, which cannot follow the recursion of free JSON; so those parts are `WireValue`,
 * and only `writableJson` makes one out of anything else.
 */
import type { Json } from '../../base/index.ts'
import type { Sha256Hex } from '../../real/sha256.ts'
import type { ScrubbedBytes, ScrubbedText, Scrubber, Side } from '../../scrub/index.ts'
import type { JsonObject } from './records.ts'

/** How frames are stored: as differences, with the full grid of cells, or not at all. */
export type FrameScheme = 'delta-1' | 'cells' | 'none'

type WireLeaf = ScrubbedText | Sha256Hex | FrameScheme | number | boolean | null | undefined
export type WireValue = WireLeaf | readonly WireValue[] | { readonly [key: string]: WireValue }

export type Writable<T> = [JsonObject] extends [T] ? WireValue : WritableLeaf<T>

type WritableLeaf<T> = T extends Uint8Array
  ? ScrubbedBytes
  : T extends string
    ? ScrubbedText | Sha256Hex
    : T extends number | boolean | null | undefined
      ? T
      : { readonly [K in keyof T]: Writable<T[K]> }

/** Free JSON, scrubbed as text: white space aside, what comes back is what went in, apart from secrets. */
export function writableJson(scrubber: Scrubber, value: Json, side: Side): WireValue {
  return JSON.parse(scrubber.jsonText(JSON.stringify(value), side)) as WireValue
}
