/**
 * Header lines in running text, such as the log of an HTTP client: the credential of `Authorization`, and
 * cookies.
 */
import { charClass, DIGIT, SPACE, someIn } from './char-class.ts'
import type { Input } from './input.ts'
import { type Match, RANK, type Rule } from './rule.ts'
import { anyCase } from './shapes-structured.ts'

const SCHEMES = ['bearer', 'basic', 'token', 'digest', 'negotiate', 'apikey', 'bot']
const KINDS: Readonly<Record<string, string>> = { bearer: 'bearer_token', basic: 'basic_auth' }
const BLANK = charClass(' \t')
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
  check(input, at) {
    const length = input.startsWithAnyCase('authorization', at)
      ? 13
      : input.startsWithAnyCase('cookie', at)
        ? 6
        : 0
    if (length === 0) return null
    const sign = input.runEnd(SPACE, afterQuote(input, at + length), 4)
    if (input.char(sign) !== ':') return null
    const from = afterQuote(input, input.runEnd(SPACE, sign + 1, 8))
    return length === 6 ? cookies(input, at, from) : credential(input, from)
  },
}

function credential(input: Input, from: number): Match | null {
  const scheme = SCHEMES.find((name) => input.startsWithAnyCase(name, from))
  if (scheme === undefined) return null
  const start = input.runEnd(BLANK, from + scheme.length, 4)
  if (start === from + scheme.length) return null
  const end = input.runEnd(CREDENTIAL, start)
  if (end - start < SHORTEST || !someIn(DIGIT, input.text, start, end)) return null
  return { start, end, kind: KINDS[scheme] ?? 'authorization', rank: RANK.shape }
}

/**
 * A `Cookie` line contains only names and values: replace everything from the first value on. `Set-Cookie`
 * keeps its attributes.
 */
function cookies(input: Input, at: number, from: number): Match | null {
  const { text } = input
  const equals = input.runEnd(COOKIE_NAME, from, 64)
  if (input.char(equals) !== '=') return null
  const isSet = /set-$/i.test(text.slice(Math.max(0, at - 4), at))
  const start = equals + 1
  const end = input.runEnd(isSet ? ONE_COOKIE : COOKIES, start)
  if (end - start < SHORTEST || !someIn(DIGIT, text, start, end)) return null
  return { start, end, kind: 'cookie', rank: RANK.shape }
}

const QUOTE = charClass('"\'')
const BACKSLASH = charClass('\\')

/** After a quote, which JSON in JSON escapes with backslashes. */
function afterQuote(input: Input, at: number): number {
  const quote = input.runEnd(BACKSLASH, at, 32)
  return input.isIn(QUOTE, quote) ? quote + 1 : at
}
