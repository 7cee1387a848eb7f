/**
 * Rules that guess, for data that the program sends: `Bearer …` in running text, `password = …`, `--api-key
 * …`. They never apply to data that the program receives.
 */
import { charClass, DIGIT, isIn, LOWER, SPACE, someIn, UPPER } from './char-class.ts'
import type { Input } from './input.ts'
import { isRoundTripName } from './names.ts'
import { beginsToken, type Match, RANK, type Rule } from './rule.ts'
import { anyCase } from './shapes-structured.ts'

function found(kind: string, start: number, end: number): Match {
  return { start, end, kind, rank: RANK.heuristic }
}

const CREDENTIAL = charClass('a-z', 'A-Z', '0-9', '._~+/=-')

const bearer: Rule = {
  name: 'bearer_token',
  rank: RANK.heuristic,
  atWordStart: true,
  probes: () => [...anyCase('bear'), ...anyCase('basi')],
  check(input, at) {
    if (!beginsToken(input.text, at)) return null
    const scheme = input.startsWithAnyCase('bearer', at) ? 6 : input.startsWithAnyCase('basic', at) ? 5 : 0
    if (scheme === 0) return null
    const from = input.runEnd(SPACE, at + scheme, 8)
    if (from === at + scheme) return null
    const end = input.runEnd(CREDENTIAL, from)
    const { text } = input
    const isLong = scheme === 6 ? end - from >= 20 : text[end - 1] === '='
    const isEnough = end - from >= 8 && (someIn(DIGIT, text, from, end) || isLong)
    return isEnough ? found(scheme === 6 ? 'bearer_token' : 'basic_auth', from, end) : null
  },
}

const WORDS = [
  'password',
  'passwd',
  'passphrase',
  'pwd',
  'secret',
  'token',
  'apikey',
  'api_key',
  'api-key',
  'accesskey',
  'access_key',
  'access-key',
  'private_key',
  'private-key',
  'credential',
]
const WORD = new RegExp(WORDS.join('|'), 'iy')
const LONGEST_WORD = 11
const VALUE = charClass('a-z', 'A-Z', '0-9', '_-.~+/=!@#$%^*?|:')
/** All printable characters but `<`, which ends the text of an element. */
const ELEMENT_TEXT = charClass('!"#$%&\'()*+,./', '0-9', ':;=>?@', 'A-Z', '[\\]^_`', 'a-z', '{|}~-')
const QUOTES = charClass('"\'`')
/** Maximum length of a value: without it `password=password=password=…` would take quadratic time. */
const MOST_VALUE = 2048
const NAME_REST = charClass('a-z', 'A-Z', '0-9', '_-')

const assignment: Rule = {
  name: 'sensitive_assignment',
  rank: RANK.heuristic,
  probes: () => [
    ...new Set(
      WORDS.flatMap((word) =>
        word === 'pwd'
          ? [...anyCase('pwd=').concat(anyCase('pwd:'), anyCase('pwd '))]
          : anyCase(word.slice(0, 4)),
      ),
    ),
  ],
  check(input, at) {
    const word = input.match(WORD, at, LONGEST_WORD)?.[0].toLowerCase()
    if (word === undefined) return null
    const { text } = input
    // By far the most frequent: `max_tokens`, `secrets`.
    if (input.char(at + word.length) === 's') return null
    const nameEnd = input.runEnd(NAME_REST, at + word.length, 24)
    // `tokens`, `secretary`, `token_count`: the word continues, so it is another word.
    if (nameEnd > at + word.length && !NAME_ENDING.test(text.slice(at + word.length, nameEnd))) return null
    if (isRoundTripName(text.slice(nameStart(text, at), nameEnd))) return null
    const sign = input.runEnd(SPACE, skipQuotes(input, nameEnd), 8)
    const kind = word.replace(/-/g, '_')
    if (input.char(nameEnd) === '>' && isElementName(text, at)) {
      const end = input.runEnd(ELEMENT_TEXT, nameEnd + 1, MOST_VALUE)
      if (end < text.length && input.char(end) !== '<') return null
      return isSecretLike(input, nameEnd + 1, end, true, kind) ? found(kind, nameEnd + 1, end) : null
    }
    const isSign = input.char(sign) === '=' || input.char(sign) === ':'
    if (!isSign && !(sign > nameEnd && isFlagName(text, at))) return null
    const isArrow = isSign && (input.char(sign + 1) === '=' || input.char(sign + 1) === '>')
    const afterSign = isSign ? input.runEnd(SPACE, isArrow ? sign + 2 : sign + 1, 8) : sign
    const from = skipQuotes(input, afterSign)
    const end = input.runEnd(VALUE, from, MOST_VALUE)
    return isSecretLike(input, from, end, from > afterSign, kind) ? found(kind, from, end) : null
  },
}
const NAME_ENDING = /^(?:[_-]?(?:id|key|value|hash|base64)|[0-9_]{1,3})$/i

function skipQuotes(input: Input, at: number): number {
  let end = at
  while (end - at < 8 && (input.isIn(QUOTES, end) || isEscapedQuote(input, end))) end += 1
  return end
}

function isEscapedQuote(input: Input, at: number): boolean {
  return input.char(at) === '\\' && (input.isIn(QUOTES, at + 1) || input.char(at + 1) === '\\')
}

/** `--api-key`, `--my-token`. */
function isFlagName(text: string, at: number): boolean {
  return text.startsWith('--', nameStart(text, at))
}

/** `<password>`, `<ns:password>`; a placeholder is no element. */
function isElementName(text: string, at: number): boolean {
  const start = nameStart(text, at)
  return /<(?!redacted:)(?:[\w.-]{1,32}:)?$/.test(text.slice(Math.max(0, start - 34), start))
}

/** Walks back over the name, a few dozen characters at most. */
function nameStart(text: string, at: number): number {
  let start = at
  while (start > 0 && at - start < 32 && isIn(NAME_REST, text, start - 1)) start -= 1
  return start
}

/**
 * Code is full of `token: string` and `password = getPassword()`: a value has a digit, or is quoted and not a
 * plain word.
 */
function isSecretLike(input: Input, from: number, end: number, quoted: boolean, kind: string): boolean {
  const { text } = input
  const length = end - from
  if (
    length < 6 ||
    input.char(end) === '(' ||
    text.startsWith('process.', from) ||
    text.startsWith('os.', from)
  )
    return false
  if (text[from] === '$' || text[from] === '%') return false
  const digit = someIn(DIGIT, text, from, end)
  if (digit)
    return (
      someIn(LOWER, text, from, end) ||
      someIn(UPPER, text, from, end) ||
      kind.startsWith('pass') ||
      length >= 16
    )
  return (
    quoted &&
    kind.startsWith('pass') &&
    length >= 8 &&
    !text.slice(from, end).toLowerCase().includes('password')
  )
}

export const heuristicRules: readonly Rule[] = [bearer, assignment]
