/** `data:image/png;base64,…`: what stands in it is not text, so no shape is looked for; exact values still are, in their base64 forms. */
import { charClass, runEnd } from './char-class.ts'
import { RANK, type Rule } from './rule.ts'

const PAYLOAD = charClass('a-z', 'A-Z', '0-9', '+/=_-')
const PARAMETERS = charClass('a-z', 'A-Z', '0-9', '/+.;=_-')

export const mediaRule: Rule = {
  name: 'data-uri',
  rank: RANK.media,
  probes: () => ['data'],
  check({ text }, at) {
    if (text[at + 4] !== ':') return null
    const comma = runEnd(PARAMETERS, text, at + 5, 120)
    if (text[comma] !== ',' || !text.startsWith(';base64', comma - 7)) return null
    return { start: comma + 1, end: runEnd(PAYLOAD, text, comma + 1), kind: 'data-uri', rank: RANK.media, open: false }
  },
}
