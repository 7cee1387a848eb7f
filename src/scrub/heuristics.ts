/**
 * Rules that guess, for what the program sends: `Bearer …` in running text, `password = …`, `--api-key …`. They never apply to what the program
 * takes in.
 */
import { charClass, DIGIT, isIn, LOWER, runEnd, SPACE, someIn, startsWithAnyCase, UPPER } from './char-class.ts'
import { isRoundTripName } from './names.ts'
import { beginsToken, type Match, RANK, type Rule } from './rule.ts'
import { anyCase } from './shapes-structured.ts'

function found(kind: string, start: number, end: number, open: boolean): Match {
  return { start, end, kind, rank: RANK.heuristic, open }
}

const CREDENTIAL = charClass('a-z', 'A-Z', '0-9', '._~+/=-')

const bearer: Rule = {
  name: 'bearer_token',
  rank: RANK.heuristic,
  atWordStart: true,
  probes: () => [...anyCase('bear'), ...anyCase('basi')],
  check({ text, final }, at) {
    const scheme = startsWithAnyCase(text, 'bearer', at) ? 6 : startsWithAnyCase(text, 'basic', at) ? 5 : 0
    if (scheme === 0 || !beginsToken(text, at)) return !final && text.length - at < 6 ? found(bearer.name, at, at, true) : null
    const from = runEnd(SPACE, text, at + scheme, 8)
    if (from === at + scheme) return !final && from === text.length ? found(bearer.name, at, at, true) : null
    const end = runEnd(CREDENTIAL, text, from)
    const unfinished = !final && end === text.length
    const enough = end - from >= 8 && (someIn(DIGIT, text, from, end) || (scheme === 6 ? end - from >= 20 : text[end - 1] === '='))
    return enough ? found(scheme === 6 ? 'bearer_token' : 'basic_auth', from, end, unfinished) : unfinished ? found(bearer.name, at, at, true) : null
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
const VALUE = charClass('a-z', 'A-Z', '0-9', '_-.~+/=!@#$%^*?|:')
const QUOTES = charClass('"\'`')
/** A value is looked at no further: `password=password=password=…` would cost the square of its length. */
const MOST_VALUE = 2048
const NAME_REST = charClass('a-z', 'A-Z', '0-9', '_-')

const assignment: Rule = {
  name: 'sensitive_assignment',
  rank: RANK.heuristic,
  probes: () => [
    ...new Set(WORDS.flatMap((word) => (word === 'pwd' ? [...anyCase('pwd=').concat(anyCase('pwd:'), anyCase('pwd '))] : anyCase(word.slice(0, 4))))),
  ],
  check({ text, final }, at) {
    WORD.lastIndex = at
    const word = WORD.exec(text)?.[0].toLowerCase()
    if (word === undefined) return null
    // By far the most frequent: `max_tokens`, `secrets`.
    if (text[at + word.length] === 's') return null
    const nameEnd = runEnd(NAME_REST, text, at + word.length, 24)
    // `tokens`, `secretary`, `token_count`: the word goes on, so it is another word.
    if (nameEnd > at + word.length && !/^(?:[_-]?(?:id|key|value|hash|base64)|[0-9_]{1,3})$/i.test(text.slice(at + word.length, nameEnd))) return null
    if (isRoundTripName(text.slice(nameStart(text, at), nameEnd))) return null
    const afterName = skipQuotes(text, nameEnd)
    const sign = runEnd(SPACE, text, afterName, 8)
    const isFlag = text[sign] !== '=' && text[sign] !== ':' && sign > nameEnd && isFlagName(text, at)
    if (!isFlag && text[sign] !== '=' && text[sign] !== ':') return null
    const afterSign = isFlag ? sign : runEnd(SPACE, text, text[sign + 1] === '=' || text[sign + 1] === '>' ? sign + 2 : sign + 1, 8)
    const from = skipQuotes(text, afterSign)
    const end = runEnd(VALUE, text, from, MOST_VALUE)
    const kind = word.replace(/-/g, '_')
    const unfinished = !final && end === text.length
    return isSecretLike(text, from, end, from > afterSign, kind)
      ? found(kind, from, end, unfinished)
      : unfinished
        ? found(kind, from, from, true)
        : null
  },
}

function skipQuotes(text: string, at: number): number {
  let end = at
  while (end - at < 8 && (isIn(QUOTES, text, end) || (text[end] === '\\' && (isIn(QUOTES, text, end + 1) || text[end + 1] === '\\')))) end += 1
  return end
}

/** `--api-key`, `--my-token`. */
function isFlagName(text: string, at: number): boolean {
  return text.startsWith('--', nameStart(text, at))
}

/** Walks back over the name, a few dozen characters at most. */
function nameStart(text: string, at: number): number {
  let start = at
  while (start > 0 && at - start < 32 && isIn(NAME_REST, text, start - 1)) start -= 1
  return start
}

/** Code is full of `token: string` and `password = getPassword()`: a value has a digit, or is quoted and no plain word. */
function isSecretLike(text: string, from: number, end: number, quoted: boolean, kind: string): boolean {
  const length = end - from
  if (length < 6 || text[end] === '(' || text.startsWith('process.', from) || text.startsWith('os.', from)) return false
  if (text[from] === '$' || text[from] === '%') return false
  const digit = someIn(DIGIT, text, from, end)
  if (digit) return someIn(LOWER, text, from, end) || someIn(UPPER, text, from, end) || kind.startsWith('pass') || length >= 16
  return quoted && kind.startsWith('pass') && length >= 8 && !text.slice(from, end).toLowerCase().includes('password')
}

export const heuristicRules: readonly Rule[] = [bearer, assignment]
