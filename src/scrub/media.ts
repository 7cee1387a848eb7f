/**
 * `data:image/png;base64,…`: the payload is not text, so shapes are not searched for in it. Exact values are,
 * in their base64 forms.
 */
import { charClass, isIn, runEnd } from './char-class.ts'
import { RANK, type Rule } from './rule.ts'

const PAYLOAD = charClass('a-z', 'A-Z', '0-9', '+/=_-')
const PARAMETERS = charClass('a-z', 'A-Z', '0-9', '/+.;=_-')

export const mediaRule: Rule = {
  name: 'data-uri',
  rank: RANK.media,
  // Not `data`: every line of an event stream begins with it.
  probes: () => [';bas'],
  check(input, at) {
    if (!input.startsWith(';base64,', at)) return null
    let from = at
    while (from > 0 && at - from < LONGEST_PARAMETERS && isIn(PARAMETERS, input.text, from - 1)) from -= 1
    if (!input.text.endsWith('data:', from)) return null
    const start = at + ';base64,'.length
    // Does not read through `Input`: a payload that continues is no reason to hold it back.
    return { start, end: payloadEnd(input.text, start), kind: 'data-uri', rank: RANK.media }
  },
}
const LONGEST_PARAMETERS = 120

export function payloadEnd(text: string, from: number): number {
  return runEnd(PAYLOAD, text, from)
}
