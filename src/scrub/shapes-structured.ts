/**
 * Secrets with more of a grammar than a prefix and a body: JSON Web Tokens, PEM blocks, passwords in connection strings, AWS secrets beside their
 * name or their id, Slack's webhook URLs, and the token fields of OAuth answers.
 */
import { ALNUM, BASE64, charClass, charsOf, isIn, runEnd, SPACE, TOKEN } from './char-class.ts'
import { beginsToken, type Match, RANK, type Rule } from './rule.ts'

function found(kind: string, start: number, end: number, open = false): Match {
  return { start, end, kind, rank: RANK.shape, open }
}

function notYet(kind: string, start: number): Match {
  return { start, end: start, kind, rank: RANK.shape, open: true }
}

/** Header, payload and signature; the first two are objects in base64url, so both begin with `ey` or, printed with spaces, `ew`. */
const jwt: Rule = {
  name: 'jwt',
  rank: RANK.shape,
  atWordStart: true,
  probes: () => [`eyJ${charsOf(ALNUM)}`, 'eyAi', 'ewogJ', 'ew0K'],
  check({ text, final }, at) {
    if (!beginsToken(text, at)) return null
    const head = runEnd(TOKEN, text, at)
    if (head === text.length && !final) return notYet('jwt', at)
    if (head - at < 10 || text[head] !== '.') return null
    const payload = runEnd(TOKEN, text, head + 1)
    if (payload === text.length && !final) return notYet('jwt', at)
    if (payload - head < 5 || text[payload] !== '.') return null
    let end = runEnd(TOKEN, text, payload + 1)
    // An encrypted token (JWE) has five parts.
    for (let more = 0; more < 2 && text[end] === '.' && isIn(TOKEN, text, end + 1); more += 1) end = runEnd(TOKEN, text, end + 1)
    return found('jwt', at, end, !final && end === text.length)
  },
}

const BACKSLASH = charClass('\\')
const PADDING = charClass('=')
const PEM_HEADER = charClass('a-z', 'A-Z', '0-9', ' ,:-')
const PATH = charClass('a-z', 'A-Z', '0-9', '/_-')
const PEM_LABEL = charClass('A-Z', '0-9', ' ')
const PEM_BREAK = charClass(' \t\r\n')

/** From `-----BEGIN … PRIVATE KEY-----` to its end, line breaks real or escaped. Cut off, the lines that are there go too. */
const pem: Rule = {
  name: 'private_key_block',
  rank: RANK.shape,
  mayHoldSlash: true,
  probes: () => ['BEGI'],
  check({ text, final }, at) {
    const start = at - 5
    if (start < 0 || !text.startsWith('-----BEGIN', start))
      return !final && '-----BEGIN'.startsWith(text.slice(Math.max(0, start))) ? notYet(pem.name, Math.max(0, start)) : null
    const label = runEnd(PEM_LABEL, text, at, 60)
    if (label === text.length && !final) return notYet(pem.name, start)
    if (!text.slice(at, label).includes('PRIVATE KEY')) return null
    if (!text.startsWith('-----', label)) return !final && '-----'.startsWith(text.slice(label)) ? notYet(pem.name, start) : null
    return pemBody(text, final, start, label + 5)
  },
}

function pemBody(text: string, final: boolean, start: number, from: number): Match | null {
  let at = from
  let lastLine = from
  let longLines = 0
  for (;;) {
    at = pemBreaks(text, at)
    const end = runEnd(BASE64, text, at)
    if (end > at) {
      const length = end - at
      at = runEnd(PADDING, text, end, 3)
      if (text[at] === ':' || text[at] === '-') {
        // `Proc-Type: 4,ENCRYPTED` and its like, before the lines.
        const header = longLines === 0 ? pemHeader(text, at - length) : at
        if (header === at) break
        at = header
        continue
      }
      if (length >= 40 || longLines > 0) lastLine = at
      if (length >= 40) longLines += 1
      else if (longLines === 0 && length > 0 && at < text.length && !isIn(PEM_BREAK, text, at) && text[at] !== '\\' && text[at] !== '-') break
      continue
    }
    if (text.startsWith('-----END ', at)) {
      const label = runEnd(PEM_LABEL, text, at + 9, 60)
      if (text.startsWith('-----', label)) return found(pem.name, start, label + 5)
      if (!final && label + 5 > text.length) return openPem(text, start)
    } else if (!final && '-----END '.startsWith(text.slice(at, at + 9)) && at + 9 > text.length) return openPem(text, start)
    break
  }
  if (!final && at >= text.length) return openPem(text, start)
  return longLines > 0 ? found(pem.name, start, lastLine) : null
}

function openPem(text: string, start: number): Match {
  return found(pem.name, start, text.length, true)
}

function pemBreaks(text: string, from: number): number {
  let at = from
  for (;;) {
    if (isIn(PEM_BREAK, text, at)) at += 1
    else if (text[at] === '\\') {
      const slashes = runEnd(BACKSLASH, text, at)
      if (text[slashes] !== 'n' && text[slashes] !== 'r') return at
      at = slashes + 1
    } else return at
  }
}

function pemHeader(text: string, from: number): number {
  const name = runEnd(TOKEN, text, from, 30)
  if (text[name] !== ':') return from
  const line = runEnd(PEM_HEADER, text, name, 120)
  return line > name ? line : from
}

const VISIBLE = charClass('!-~')
const USERINFO_END = charClass('/?#"\'<>\\ \t\r\n`{}|^')

/** `scheme://user:password@host`: only the password goes. */
const connection: Rule = {
  name: 'url_password',
  rank: RANK.shape,
  mayHoldSlash: true,
  probes: () => [`://${charsOf(VISIBLE)}`],
  check({ text, final }, at) {
    let colon = -1
    let sign = -1
    let end = at + 3
    const stop = Math.min(text.length, at + 3 + LONGEST_USERINFO)
    for (; end < stop; end += 1) {
      const char = text[end]
      if (char === ':' && colon < 0) colon = end
      else if (char === '@') {
        sign = end
        break
      }
      if (isIn(USERINFO_END, text, end)) break
    }
    if (sign < 0) return !final && end === text.length && colon > 0 ? notYet('url_password', colon + 1) : null
    return colon > 0 && sign > colon + 1 ? { ...found('url_password', colon + 1, sign), learn: 'password' } : null
  },
}
const LONGEST_USERINFO = 1024

const AWS_PLACEHOLDER = /aws_access_key(?:#\d{1,9})?>/y
const SECRET_NAME = /secret[_\-. ]?(?:access[_\-. ]?)?key(?:[_\-. ]?id)?|secretaccesskey/iy
const BETWEEN = charClass(' \t\r\n"\'\\:=>,|')

/** Forty characters of base64 say nothing by themselves: they are a secret beside its name, or beside the id. */
const awsSecret: Rule = {
  name: 'aws_secret_key',
  rank: RANK.shape,
  mayHoldSlash: true,
  probes: () => [...anyCase('secr'), 'AKIA', 'ASIA', 'aws_'],
  check(input, at) {
    const after = endOfAwsNeighbour(input.text, at)
    if (after < 0) return null
    const from = runEnd(BETWEEN, input.text, after, 24)
    const end = runEnd(BASE64, input.text, from)
    const unfinished = !input.final && end === input.text.length
    if (from === after && !unfinished) return null
    if (end - from < 40) return unfinished ? notYet('aws_secret_key', from) : null
    return found('aws_secret_key', from, end, unfinished)
  },
}

function endOfAwsNeighbour(text: string, at: number): number {
  if (text.startsWith('AKIA', at) || text.startsWith('ASIA', at)) return at + 20
  AWS_PLACEHOLDER.lastIndex = at
  const seen = AWS_PLACEHOLDER.exec(text)
  if (seen !== null) return at + seen[0].length
  SECRET_NAME.lastIndex = at
  const name = SECRET_NAME.exec(text)
  return name === null ? -1 : at + name[0].length
}

const slackWebhook: Rule = {
  name: 'slack_webhook',
  rank: RANK.shape,
  mayHoldSlash: true,
  probes: () => ['hook'],
  check({ text, final }, at) {
    const prefix = 'hooks.slack.com/'
    if (!text.startsWith(prefix, at)) return !final && prefix.startsWith(text.slice(at)) ? notYet(slackWebhook.name, at) : null
    const from = at + prefix.length
    const end = runEnd(PATH, text, from)
    const unfinished = !final && end === text.length
    const pieces = text.slice(from, end).split('/')
    if (pieces.length < 4 || end - from < 30) return unfinished ? notYet(slackWebhook.name, from) : null
    return found(slackWebhook.name, from, end, unfinished)
  },
}

const OAUTH_FIELD = /(?:access_?|refresh_?|id_?|session)token|client_secret|device_code|secretaccesskey/iy
const OAUTH_VALUE = charClass('a-z', 'A-Z', '0-9', '_-.~+/=:|%')

/** `"access_token": "…"` and `access_token=…`, the fields in which a service hands out what it will take as a key. */
const oauthField: Rule = {
  name: 'oauth_field',
  rank: RANK.shape,
  mayHoldSlash: true,
  atWordStart: true,
  probes: () => ['acce', 'refr', 'id_t', 'clie', 'devi', 'Secr', 'secr', 'Sess', 'sess', 'Acce', 'Refr', 'idTo'],
  check(input, at) {
    const { text, final } = input
    OAUTH_FIELD.lastIndex = at
    const field = OAUTH_FIELD.exec(text)?.[0].toLowerCase()
    if (field === undefined || !beginsToken(text, at)) return null
    const kind = OAUTH_KINDS[field] ?? field
    let from = at + field.length
    const quoted = skipQuote(text, from)
    const sign = runEnd(SPACE, text, quoted, 16)
    if (text[sign] !== ':' && text[sign] !== '=') return !final && sign === text.length ? notYet(kind, at) : null
    from = skipQuote(text, runEnd(SPACE, text, sign + 1, 16))
    if (quoted > at + field.length && from === sign + 1 && text[sign] === ':' && from < text.length) return null
    const end = runEnd(OAUTH_VALUE, text, from)
    const unfinished = !final && end === text.length
    if (end - from < 8) return unfinished ? notYet(kind, at) : null
    return { ...found(kind, from, end, unfinished), learn: true }
  },
}

const OAUTH_KINDS: Readonly<Record<string, string>> = {
  secretaccesskey: 'aws_secret_key',
  sessiontoken: 'session_token',
  accesstoken: 'access_token',
  refreshtoken: 'refresh_token',
  idtoken: 'id_token',
}

function skipQuote(text: string, at: number): number {
  const slashes = runEnd(BACKSLASH, text, at, 16)
  return text[slashes] === '"' || text[slashes] === "'" ? slashes + 1 : at
}

/** Four characters in either case, as probes. */
export function anyCase(probe: string): string[] {
  const [first = [], second = [], third = [], fourth = []] = probe.split('').map(bothCases)
  const last = fourth.join('')
  return first.flatMap((one) => second.flatMap((two) => third.map((three) => one + two + three + last)))
}

/** A letter whose other case is more than one stands for itself. */
function bothCases(char: string): string[] {
  return [...new Set([char, char.toLowerCase(), char.toUpperCase()])].filter(({ length }) => length === 1)
}

const DIGITS = charClass('0-9')
const TELEGRAM_BODY = 35

/** `123456789:AA…`, the id of a bot and its key; in a URL behind `/bot`. */
const telegram: Rule = {
  name: 'telegram_token',
  rank: RANK.shape,
  probes: () => [`:AA${charsOf(TOKEN)}`],
  check({ text, final }, at) {
    let start = at
    while (start > 0 && at - start < 12 && isIn(DIGITS, text, start - 1)) start -= 1
    if (at - start < 8 || at - start > 10 || !(beginsToken(text, start) || text.slice(Math.max(0, start - 3), start) === 'bot')) return null
    const end = runEnd(TOKEN, text, at + 1)
    if (end === text.length && !final) return notYet('telegram_token', start)
    return end - at - 1 === TELEGRAM_BODY ? found('telegram_token', start, end) : null
  },
}

/** The first three digits of the id of a bot, in base64: what each of them comes to. Ids begin with 1 to 9. */
const DISCORD_FIRST = ['MT', 'Mj', 'Mz', 'ND', 'NT', 'Nj', 'Nz', 'OD', 'OT']
const DISCORD_SECOND = [...'AEIMQUYcgk']
const DISCORD_THIRD = 'wxyz012345'
const DISCORD = /[MNO][\w-]{23,27}\.[\w-]{6}\.[\w-]{27,40}(?![\w-])/y

const discord: Rule = {
  name: 'discord_token',
  rank: RANK.shape,
  atWordStart: true,
  probes: () => DISCORD_FIRST.flatMap((first) => DISCORD_SECOND.map((second) => first + second + DISCORD_THIRD)),
  check({ text, final }, at) {
    if (!beginsToken(text, at)) return null
    DISCORD.lastIndex = at
    const token = DISCORD.exec(text.length - at > 128 ? text.slice(0, at + 128) : text)?.[0]
    if (token !== undefined) return found('discord_token', at, at + token.length, !final && at + token.length === text.length)
    return !final && text.length - at < 80 && /^[\w-]{4,28}(?:\.[\w-]{0,6}(?:\.[\w-]{0,40})?)?$/.test(text.slice(at))
      ? notYet('discord_token', at)
      : null
  },
}

const CURL = /\bcurl\b/y
/** `-u user:password` and its long form, within one command; a quote may stand before the user. */
const CURL_USER =
  /(?:^|[\s"'\\,])(?:-[a-zA-Z]{0,6}u|--user|-U|--proxy-user)(?:["']?[\s=,]+|)["'\\]{0,4}[^\s:"'\\-][^\s:"'\\]{0,80}:([^\s"'\\]{3,200})/

const curlUser: Rule = {
  name: 'curl_password',
  rank: RANK.shape,
  probes: () => ['curl'],
  check({ text }, at) {
    CURL.lastIndex = at
    if (!CURL.test(text)) return null
    const command = text.slice(at, at + LONGEST_COMMAND).split('\n', 1)[0] ?? ''
    const password = CURL_USER.exec(command)
    if (password?.[1] === undefined || password[1].startsWith('<redacted:')) return null
    const end = at + password.index + password[0].length
    return { ...found('curl_password', end - password[1].length, end), learn: 'password' }
  },
}
const LONGEST_COMMAND = 1024

export const structuredRules: readonly Rule[] = [jwt, pem, connection, awsSecret, slackWebhook, oauthField, telegram, discord, curlUser]
