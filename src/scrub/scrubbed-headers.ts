/**
 * Scrubs the headers of requests and responses. The same list repeats often: then the cached result is
 * returned, as long as nothing was found in it and the scrubber has learned nothing since.
 */
import type { HeaderList } from '../base/index.ts'
import type { Scrubbed } from './scrubbed.ts'
import type { Scrubber, Side } from './scrubber.ts'

type Known = { readonly raw: HeaderList; readonly clean: Scrubbed<HeaderList>; readonly version: number }

const last: Readonly<Record<Side, WeakMap<Scrubber, Known>>> = {
  sent: new WeakMap(),
  received: new WeakMap(),
}

export function scrubbedHeaders(headers: HeaderList, scrubber: Scrubber, side: Side): Scrubbed<HeaderList> {
  const known = last[side].get(scrubber)
  if (known !== undefined && known.version === scrubber.version && isSame(known.raw, headers))
    return known.clean
  const { hits } = scrubber
  const clean = headers.map(
    ([name, value]) => [scrubber.text(name, side), scrubber.header(name, value, side)] as const,
  )
  if (scrubber.hits === hits) last[side].set(scrubber, { raw: headers, clean, version: scrubber.version })
  return clean
}

function isSame(a: HeaderList, b: HeaderList): boolean {
  return a.length === b.length && a.every((pair, at) => pair[0] === b[at]?.[0] && pair[1] === b[at]?.[1])
}
