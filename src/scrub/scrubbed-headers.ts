/**
 * Scrubs the headers of requests and responses. The same headers repeat often: one that is equal to the header
 * at its place in the last list is not searched again, as long as nothing was found in it and the scrubber has
 * learned nothing since. A server has a last list of requests and one of answers, because they alternate.
 */
import type { HeaderList } from '../base/index.ts'
import type { Scrubbed } from './scrubbed.ts'
import type { Scrubber, Side } from './scrubber.ts'

type Known = {
  readonly raw: HeaderList
  readonly clean: Scrubbed<HeaderList>
  /** In which headers nothing was found. */
  readonly isClean: readonly boolean[]
  readonly isAllClean: boolean
  readonly version: number
}

const last = {
  sent: new WeakMap<Scrubber, Known>(),
  received: new WeakMap<Scrubber, Known>(),
  asked: new WeakMap<Scrubber, Known>(),
  answered: new WeakMap<Scrubber, Known>(),
}

/** `asked`, `answered`: what a server of the program receives and sends. Scrubbed as what is sent. */
type Role = Side | 'asked' | 'answered'

export function scrubbedHeaders(headers: HeaderList, scrubber: Scrubber, role: Role): Scrubbed<HeaderList> {
  const known = last[role].get(scrubber)
  const isValid = known !== undefined && known.version === scrubber.version
  if (isValid && known.isAllClean && isSame(known.raw, headers)) return known.clean
  const side = role === 'received' ? 'received' : 'sent'
  const { version, hits } = scrubber
  const isClean: boolean[] = []
  const clean = headers.map((pair, at) => {
    // A value that was learned from an earlier header may be in this one.
    const same = isValid && scrubber.version === version ? unchanged(known, pair, at) : undefined
    const before = scrubber.hits
    const [name, value] = pair
    const done = same ?? ([scrubber.text(name, side), scrubber.header(name, value, side)] as const)
    isClean.push(scrubber.hits === before)
    return done
  })
  if (scrubber.version === version)
    last[role].set(scrubber, { raw: headers, clean, isClean, isAllClean: scrubber.hits === hits, version })
  return clean
}

/** The header at this place, if it is the one of the last list and nothing was found in it. */
function unchanged(
  { raw, clean, isClean }: Known,
  [name, value]: HeaderList[number],
  at: number,
): Scrubbed<HeaderList>[number] | undefined {
  const before = raw[at]
  return isClean[at] === true && before?.[0] === name && before[1] === value ? clean[at] : undefined
}

function isSame(a: HeaderList, b: HeaderList): boolean {
  if (a === b) return true
  return a.length === b.length && a.every((pair, at) => pair[0] === b[at]?.[0] && pair[1] === b[at]?.[1])
}
