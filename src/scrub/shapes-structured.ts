/**
 * Secrets with more grammar than a prefix and a body: JSON Web Tokens, PEM blocks, passwords in connection
 * strings and on command lines, AWS secrets next to their name or their id, the token fields of OAuth
 * responses, and those of chat services (`shapes-chat.ts`).
 */
import { ALNUM, BASE64, charClass, charsOf, isIn, SPACE, TOKEN } from './char-class.ts'
import type { Input } from './input.ts'
import { formOfLabel } from './key-forms.ts'
import { beginsToken, type Match, RANK, type Rule } from './rule.ts'
import { chatRules } from './shapes-chat.ts'

function found(kind: string, start: number, end: number): Match {
  return { start, end, kind, rank: RANK.shape }
}

const HEADS = ['eyJ', 'eyAi', 'ewog', 'ew0K']

/**
 * Header, payload and signature; the first two are objects in base64url, so both begin with `ey` or, printed
 * with spaces, `ew`.
 */
const jwt: Rule = {
  name: 'jwt',
  rank: RANK.shape,
  atWordStart: true,
  probes: () => [`eyJ${charsOf(ALNUM)}`, 'eyAi', 'ewogJ', 'ew0K'],
  check(input, at) {
    const head = input.runEnd(TOKEN, at)
    if (head - at < 10 || input.char(head) !== '.') return null
    const payload = input.runEnd(TOKEN, head + 1)
    if (payload - head < 5 || input.char(payload) !== '.') return null
    let end = input.runEnd(TOKEN, payload + 1)
    // An encrypted token (JWE) has five parts. The next token may follow after a dot.
    for (let more = 0; more < 2 && input.char(end) === '.' && input.isIn(TOKEN, end + 1); more += 1) {
      if (HEADS.some((start) => input.startsWith(start, end + 1))) break
      end = input.runEnd(TOKEN, end + 1)
    }
    // Inside a word its first characters, which all tokens share, stay.
    return found('jwt', beginsToken(input.text, at) ? at : at + 4, end)
  },
}

const BACKSLASH = charClass('\\')
const PADDING = charClass('=')
const DASH = charClass('-')
const PEM_HEADER = charClass('a-z', 'A-Z', '0-9', ' ,:-')
/** A form writes a blank as `+`. */
const PEM_LABEL = charClass('A-Z', '0-9', ' +')
const PEM_BREAK = charClass(' \t\r\n')

/**
 * From `-----BEGIN … PRIVATE KEY-----` to its end, with real or escaped line breaks. If the key is cut off,
 * the existing lines are replaced too.
 */
const pem: Rule = {
  name: 'private_key_block',
  rank: RANK.shape,
  mayHoldSlash: true,
  lead: { table: DASH, most: 5 },
  probes: () => ['BEGI'],
  check(input, at) {
    const start = at - 5
    if (start < 0 || !input.text.startsWith('-----', start) || !input.startsWith('BEGIN', at)) return null
    const label = input.runEnd(PEM_LABEL, at, 60)
    const words = input.text.slice(at, label)
    if (!/PRIVATE[ +]KEY/.test(words) || !input.startsWith('-----', label)) return null
    return pemBody(input, start, label + 5, kindOfKey(words))
  },
}

function kindOfKey(words: string): string {
  const form = formOfLabel(words.slice('BEGIN '.length))
  return form === null || form === 'pkcs8' ? pem.name : `${pem.name}:${form}`
}

function pemBody(input: Input, start: number, from: number, kind: string): Match | null {
  let at = from
  let lastLine = from
  let longLines = 0
  for (;;) {
    at = pemBreaks(input, at)
    const word = at
    const end = input.runEnd(BASE64, word)
    if (end === word) break
    const length = end - word
    at = input.runEnd(PADDING, end, 3)
    const next = input.char(at)
    if (longLines === 0 && (next === ':' || next === '-')) {
      // `Proc-Type: 4,ENCRYPTED` and similar headers, before the lines.
      const header = pemHeader(input, word)
      if (header > word) {
        at = header
        continue
      }
    }
    if (length >= 40 || longLines > 0) lastLine = at
    if (length >= 40) longLines += 1
    else if (longLines === 0 && next !== '' && !input.isIn(PEM_BREAK, at) && next !== '\\') break
  }
  if (input.startsWith('-----END', at)) {
    const label = input.runEnd(PEM_LABEL, at + 8, 60)
    if (input.startsWith('-----', label)) return found(kind, start, label + 5)
  }
  return longLines > 0 ? found(kind, start, lastLine) : null
}

function pemBreaks(input: Input, from: number): number {
  let at = from
  for (;;) {
    if (input.isIn(PEM_BREAK, at)) at += 1
    else if (input.char(at) === '\\') {
      const slashes = input.runEnd(BACKSLASH, at)
      const letter = input.char(slashes)
      if (letter !== 'n' && letter !== 'r') return at
      at = slashes + 1
    } else return at
  }
}

function pemHeader(input: Input, from: number): number {
  const name = input.runEnd(TOKEN, from, 30)
  if (input.char(name) !== ':') return from
  const line = input.runEnd(PEM_HEADER, name, 120)
  return line > name ? line : from
}

const VISIBLE = charClass('!-~')
const USERINFO_END = charClass('/?#"\'<>\\ \t\r\n`{}|^')

/** `scheme://user:password@host`: only the password is replaced. */
const connection: Rule = {
  name: 'url_password',
  rank: RANK.shape,
  mayHoldSlash: true,
  probes: () => [`://${charsOf(VISIBLE)}`],
  check(input, at) {
    let colon = -1
    for (let end = at + 3; end < at + 3 + LONGEST_USERINFO; end += 1) {
      const char = input.char(end)
      if (char === ':' && colon < 0) colon = end
      else if (char === '@') {
        const isPassword = colon > 0 && end > colon + 1
        return isPassword ? { ...found('url_password', colon + 1, end), learn: 'password' } : null
      }
      if (char === '' || isIn(USERINFO_END, input.text, end)) return null
    }
    return null
  },
}
const LONGEST_USERINFO = 1024

const AWS_PLACEHOLDER = /aws_access_key(?:#\d{1,9})?>/y
const SECRET_NAME = /secret[_\-. ]?(?:access[_\-. ]?)?key(?:[_\-. ]?id)?|secretaccesskey/iy
const BETWEEN = charClass(' \t\r\n"\'\\:=>,|')

/**
 * Forty characters of base64 alone are no evidence: they count as a secret next to its name, or next to the
 * id.
 */
const awsSecret: Rule = {
  name: 'aws_secret_key',
  rank: RANK.shape,
  mayHoldSlash: true,
  probes: () => [...anyCase('secr'), 'AKIA', 'ASIA', 'aws_'],
  check(input, at) {
    const after = endOfAwsNeighbour(input, at)
    if (after < 0) return null
    const from = input.runEnd(BETWEEN, after, 24)
    const end = input.runEnd(BASE64, from)
    return from > after && end - from >= 40 ? found('aws_secret_key', from, end) : null
  },
}

function endOfAwsNeighbour(input: Input, at: number): number {
  if (input.startsWith('AKIA', at) || input.startsWith('ASIA', at)) return at + 20
  const seen = input.startsWith('aws_', at)
    ? input.match(AWS_PLACEHOLDER, at, 26)
    : input.match(SECRET_NAME, at, 24)
  return seen === null ? -1 : at + seen[0].length
}

const OAUTH_FIELD = /(?:access_?|refresh_?|id_?|session)token|client_secret|device_code|secretaccesskey/iy
const OAUTH_VALUE = charClass('a-z', 'A-Z', '0-9', '_-.~+/=:|%')

/** `"access_token": "…"` and `access_token=…`: the fields in which a service returns credentials. */
const oauthField: Rule = {
  name: 'oauth_field',
  rank: RANK.shape,
  mayHoldSlash: true,
  atWordStart: true,
  probes: () => [
    'acce',
    'refr',
    'id_t',
    'clie',
    'devi',
    'Secr',
    'secr',
    'Sess',
    'sess',
    'Acce',
    'Refr',
    'idTo',
  ],
  check(input, at) {
    if (!beginsToken(input.text, at)) return null
    const field = input.match(OAUTH_FIELD, at, 16)?.[0].toLowerCase()
    if (field === undefined) return null
    const kind = OAUTH_KINDS[field] ?? field
    const quoted = skipQuote(input, at + field.length)
    const sign = input.runEnd(SPACE, quoted, 16)
    if (input.char(sign) !== ':' && input.char(sign) !== '=') return null
    const from = skipQuote(input, input.runEnd(SPACE, sign + 1, 16))
    if (
      quoted > at + field.length &&
      from === sign + 1 &&
      input.char(sign) === ':' &&
      from < input.text.length
    )
      return null
    const end = input.runEnd(OAUTH_VALUE, from)
    return end - from < 8 ? null : { ...found(kind, from, end), learn: true }
  },
}

const OAUTH_KINDS: Readonly<Record<string, string>> = {
  secretaccesskey: 'aws_secret_key',
  sessiontoken: 'session_token',
  accesstoken: 'access_token',
  refreshtoken: 'refresh_token',
  idtoken: 'id_token',
}

function skipQuote(input: Input, at: number): number {
  const slashes = input.runEnd(BACKSLASH, at, 16)
  return input.char(slashes) === '"' || input.char(slashes) === "'" ? slashes + 1 : at
}

/** Four characters in either case, as probes. */
export function anyCase(probe: string): string[] {
  const [first = [], second = [], third = [], fourth = []] = probe.split('').map(bothCases)
  const last = fourth.join('')
  return first.flatMap((one) => second.flatMap((two) => third.map((three) => one + two + three + last)))
}

/** A letter whose other case has more than one character is used unchanged. */
function bothCases(char: string): string[] {
  return [...new Set([char, char.toLowerCase(), char.toUpperCase()])].filter(({ length }) => length === 1)
}

const WORD = charClass('a-z', 'A-Z', '0-9', '_')
/** `-u user:password` and its long form, within one command; a quote may precede the user. */
const CURL_USER =
  /(?:^|[\s"'\\,])(?:-[a-zA-Z]{0,6}u|--user|-U|--proxy-user)(?:["']?[\s=,]+|)["'\\]{0,4}[^\s:"'\\-][^\s:"'\\]{0,80}:([^\s"'\\]{3,200})/

const curlUser: Rule = {
  name: 'curl_password',
  rank: RANK.shape,
  probes: () => ['curl'],
  check(input, at) {
    if ((at > 0 && isIn(WORD, input.text, at - 1)) || input.isIn(WORD, at + 4)) return null
    const command = commandFrom(input, at)
    const password = CURL_USER.exec(command)
    if (password?.[1] === undefined || password[1].startsWith('<redacted:')) return null
    const end = at + password.index + password[0].length
    return { ...found('curl_password', end - password[1].length, end), learn: 'password' }
  },
}

/** The rest of the line, up to `LONGEST_COMMAND`. */
function commandFrom(input: Input, at: number): string {
  const line = input.text.slice(at, at + LONGEST_COMMAND)
  const feed = line.indexOf('\n')
  if (feed < 0 && line.length < LONGEST_COMMAND) input.touchedEnd = true
  return feed < 0 ? line : line.slice(0, feed)
}
const LONGEST_COMMAND = 1024

export const structuredRules: readonly Rule[] = [
  jwt,
  pem,
  connection,
  awsSecret,
  oauthField,
  ...chatRules,
  curlUser,
]
