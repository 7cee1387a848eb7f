/** Header lines in running text, such as the log of an HTTP client: the credential of an `Authorization`, and cookies. */
import { charClass, DIGIT, isIn, runEnd, SPACE, someIn } from './char-class.ts'
import { type Match, RANK, type Rule } from './rule.ts'
import { anyCase } from './shapes-structured.ts'

const NAME = /authorization|cookie/iy
const SCHEME = /(?:bearer|basic|token|digest|negotiate|apikey|bot)[ \t]{1,4}/iy
const CREDENTIAL = charClass('a-z', 'A-Z', '0-9', '._~+/=:|-')
const COOKIE_NAME = charClass('a-z', 'A-Z', '0-9', '_.-')
const COOKIES = charClass('a-z', 'A-Z', '0-9', ' !#$%&()*+,./:;=?@[]^_`{|}~-')
const ONE_COOKIE = charClass('a-z', 'A-Z', '0-9', '!#$%&()*+,./:=?@[]^_`{|}~-')
const SHORTEST = 8

export const headerLineRule: Rule = {
  name: 'header_line',
  rank: RANK.shape,
  mayHoldSlash: true,
  probes: () => [...anyCase('auth'), ...anyCase('cook')],
  check({ text, final }, at) {
    NAME.lastIndex = at
    const name = NAME.exec(text)?.[0]
    if (name === undefined) return null
    const afterName = isQuote(text, at + name.length) ? at + name.length + 1 : at + name.length
    const sign = runEnd(SPACE, text, afterName, 4)
    if (text[sign] !== ':') return !final && sign === text.length ? open(at) : null
    const blank = runEnd(SPACE, text, sign + 1, 8)
    const from = isQuote(text, blank) ? blank + 1 : blank
    if (from === text.length) return final ? null : open(at)
    return name.length === 6 ? cookies(text, at, from, final) : credential(text, at, from, final)
  },
}

function credential(text: string, at: number, from: number, final: boolean): Match | null {
  SCHEME.lastIndex = from
  const scheme = SCHEME.exec(text)?.[0]
  if (scheme === undefined) return !final && text.length - from < 16 ? open(at) : null
  const start = from + scheme.length
  const end = runEnd(CREDENTIAL, text, start)
  const unfinished = !final && end === text.length
  if (end - start < SHORTEST || !someIn(DIGIT, text, start, end)) return unfinished ? open(at) : null
  const kind = /^bearer/i.test(scheme) ? 'bearer_token' : /^basic/i.test(scheme) ? 'basic_auth' : 'authorization'
  return { start, end, kind, rank: RANK.shape, open: unfinished }
}

/** A `Cookie` line has only names and values: all of it goes from the first value on. `Set-Cookie` keeps its attributes. */
function cookies(text: string, at: number, from: number, final: boolean): Match | null {
  const equals = runEnd(COOKIE_NAME, text, from, 64)
  if (text[equals] !== '=') return !final && equals === text.length ? open(at) : null
  const isSet = /set-$/i.test(text.slice(Math.max(0, at - 4), at))
  const start = equals + 1
  const end = runEnd(isSet ? ONE_COOKIE : COOKIES, text, start)
  const unfinished = !final && end === text.length
  if (end - start < SHORTEST || !someIn(DIGIT, text, start, end)) return unfinished ? open(at) : null
  return { start, end, kind: 'cookie', rank: RANK.shape, open: unfinished }
}

function open(at: number): Match {
  return { start: at, end: at, kind: 'header_line', rank: RANK.shape, open: true }
}

const QUOTE = charClass('"\'')

function isQuote(text: string, at: number): boolean {
  return isIn(QUOTE, text, at)
}
