/**
 * The headers of requests and answers, scrubbed. The same list comes again and again: then the list that was made of it is given back, as long as nothing
 * was found in it and the scrubber has learned nothing since.
 */
import type { Scrubbed, Scrubber, Side } from '../../scrub/index.ts'
import type { HeaderPairs } from '../../tape/index.ts'

type Known = { readonly raw: HeaderPairs; readonly clean: Scrubbed<HeaderPairs>; readonly version: number }

const last: Readonly<Record<Side, WeakMap<Scrubber, Known>>> = { sent: new WeakMap(), received: new WeakMap() }

export function scrubbedHeaders(headers: HeaderPairs, scrubber: Scrubber, side: Side): Scrubbed<HeaderPairs> {
  const known = last[side].get(scrubber)
  if (known !== undefined && known.version === scrubber.version && isSame(known.raw, headers)) return known.clean
  const { hits } = scrubber
  const clean = headers.map(([name, value]) => [scrubber.text(name, side), scrubber.header(name, value, side)] as const)
  if (scrubber.hits === hits) last[side].set(scrubber, { raw: headers, clean, version: scrubber.version })
  return clean
}

function isSame(a: HeaderPairs, b: HeaderPairs): boolean {
  return a.length === b.length && a.every((pair, at) => pair[0] === b[at]?.[0] && pair[1] === b[at]?.[1])
}
