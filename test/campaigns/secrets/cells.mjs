/**
 * The cells of the campaign `secrets`: each has a kind of secret, a channel and an encoding, and a value of
 * its own that is made from the seed. Plain JavaScript, since the recorded program, the server and the test
 * all make the same values.
 */

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
const LOWER = 'abcdefghijklmnopqrstuvwxyz0123456789'
const UPPER = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'
const HEX = '0123456789abcdef'
const BASE64 = `${LETTERS}+/`

const after =
  (prefix, length, alphabet = LETTERS) =>
  (draw) =>
    `${prefix}${draw(length, alphabet)}`

/**
 * Kinds that the scrubber knows by their shape. Prefixes in pieces, so that no scanner takes this file for a
 * leak.
 */
const shapes = {
  anthropic: after(`sk-${'ant'}-api03-`, 80),
  openai: after(`sk-${'proj'}-`, 60),
  'openai service': after(`sk-${'svcacct'}-`, 60),
  openrouter: after(`sk-${'or'}-v1-`, 64, HEX),
  'google api': after(`AI${'za'}Sy`, 33),
  'google oauth': after(`ya${'29'}.`, 60),
  'google client': after(`GOC${'SPX'}-`, 28),
  'aws id': after(`AK${'IA'}`, 16, UPPER),
  'slack bot': (draw) => `xo${'xb'}-${draw(12, '123456789')}-${draw(13, '123456789')}-${draw(24)}`,
  'slack client': (draw) => `xo${'xc'}-${draw(12, '123456789')}-${draw(13, '123456789')}-${draw(32, HEX)}`,
  'slack cookie': after(`xo${'xd'}-`, 60),
  stripe: after(`sk_${'live'}_`, 24),
  'stripe restricted': after(`rk_${'live'}_`, 24),
  'stripe webhook': after(`wh${'sec'}_`, 32),
  github: after(`gh${'p'}_`, 36),
  'github oauth': after(`gh${'o'}_`, 36),
  'github fine': (draw) => `github_${'pat'}_${draw(22)}_${draw(59)}`,
  gitlab: after(`gl${'pat'}-`, 20),
  npm: after(`np${'m'}_`, 36),
  huggingface: after(`h${'f'}_`, 34),
  cerebras: after(`cs${'k'}-`, 48, LOWER),
  groq: after(`gs${'k'}_`, 52),
  xai: after(`xa${'i'}-`, 80),
  perplexity: after(`pp${'lx'}-`, 48),
  replicate: after(`r${'8'}_`, 37),
  tavily: after(`tv${'ly'}-dev-`, 32),
  langsmith: (draw) => `lsv2_${'pt'}_${draw(32, HEX)}_${draw(10, HEX)}`,
  pypi: after(`py${'pi'}-AgEIcHlwaS5vcmc`, 100),
  sendgrid: (draw) => `S${'G'}.${draw(22)}.${draw(43)}`,
  digitalocean: after(`dop_${'v1'}_`, 64, HEX),
  databricks: after(`da${'pi'}`, 32, HEX),
  linear: after(`lin_${'api'}_`, 40),
  shopify: after(`sh${'pat'}_`, 32, HEX),
  supabase: after(`sb_${'secret'}_`, 31),
  'supabase access': after(`sb${'p'}_`, 40, HEX),
  vault: after(`hv${'s'}.`, 90),
  docker: after(`dckr_${'pat'}_`, 27),
  atlassian: after(`ATA${'TT3'}xFfGF0`, 180),
  grafana: after(`gl${'c'}_`, 80),
  age: after(`AGE-SECRET-${'KEY'}-1`, 58, 'QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L'),
  pinecone: after(`pc${'sk'}_`, 60),
  nvidia: after(`nv${'api'}-`, 64),
  sentry: after(`sntry${'u'}_`, 64, HEX),
  tailscale: (draw) => `ts${'key'}-auth-${draw(12)}-${draw(30)}`,
  doppler: after(`dp.${'pt'}.`, 43),
  figma: after(`fi${'gd'}_`, 40),
  jwt: (draw) => `ey${'JhbGciOiJSUzI1NiJ9'}.eyJ${draw(60)}.${draw(86)}`,
  pem: (draw) =>
    [
      `-----BEGIN ${'PRIVATE'} KEY-----`,
      ...Array.from({ length: 6 }, () => draw(64, BASE64)),
      `-----END ${'PRIVATE'} KEY-----`,
    ].join('\n'),
}

/** Kinds that have no shape: the program has them in a variable. */
const known = {
  'known, letters': (draw) => draw(24),
  'known, with +': (draw) => `${draw(10)}+${draw(8)}/${draw(8)}=`,
  'known, with quotes': (draw) => `${draw(12)}"${draw(6)}'${draw(8)}`,
  'known, with a line break at its end': (draw) => `${draw(24)}\n`,
  'known, with blanks': (draw) => `${draw(10)} ${draw(8)} ${draw(9)}`,
  'known, with a backslash': (draw) => `${draw(12)}\\${draw(12)}`,
  'known, beyond ASCII': (draw) => `${draw(14)}é你${draw(12)}`,
  'known, hex': (draw) => draw(40, HEX),
}

const makers = { ...shapes, ...known }
export const kinds = Object.keys(makers)
export const isKnown = (kind) => kind in known

const base64 = (text) => Buffer.from(text).toString('base64')
const inJson = (text) => JSON.stringify(text).slice(1, -1)

export const encoders = {
  plain: (text) => text,
  'JSON escapes': inJson,
  'JSON three deep': (text) => inJson(inJson(inJson(text))),
  'unicode escapes': (text) =>
    inJson(text)
      .replaceAll('\\n', '\\u000a')
      .replace(/[+/=<>&]/g, (char) => `\\u00${char.charCodeAt(0).toString(16).toUpperCase()}`),
  'URL-encoded': (text) => encodeURIComponent(text),
  'URL-encoded twice': (text) => encodeURIComponent(encodeURIComponent(text)),
  form: (text) => new URLSearchParams([['a', text]]).toString().slice(2),
  HTML: (text) =>
    text
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
      .replaceAll('"', '&quot;')
      .replaceAll("'", '&#39;'),
  base64,
  'base64url, one byte in': (text) => Buffer.from(`x${text} yz`).toString('base64url'),
  'base64 of base64': (text) => base64(base64(text)),
}
export const encodings = Object.keys(encoders)

/** A number that a text gives. */
function hashOf(text) {
  let hash = 2166136261
  for (const char of text) hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 16777619)
  return hash >>> 0
}

/** The value of a cell: another one for each. */
export function secretOf(seed, { kind, channel, encoding }) {
  let state = hashOf(`${seed} ${kind} ${channel} ${encoding}`)
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return (mixed ^ (mixed >>> 14)) >>> 0
  }
  const draw = (length, alphabet = LETTERS) => {
    const text = Array.from({ length }, () => alphabet[next() % alphabet.length]).join('')
    // A key of 20 letters without a digit is not always found inside a word: see docs/limits.md.
    return /\d/.test(text) ? text : `${text.slice(0, -2)}7${text.slice(-1)}`
  }
  return makers[kind](draw)
}

/** What a program sends or takes in for a cell. A program trims what it has read from a variable. */
export function messageOf(seed, cell) {
  return encoders[cell.encoding](secretOf(seed, cell).trim())
}

/** The same in the program itself, which has some of the secrets in variables. */
export function messageIn(env, seed, cell) {
  return isKnown(cell.kind)
    ? encoders[cell.encoding]((env[variableOf(cell)] ?? '').trim())
    : messageOf(seed, cell)
}

export const variableOf = (cell) =>
  `CELL_${hashOf(`${cell.kind} ${cell.channel} ${cell.encoding}`).toString(36).toUpperCase()}_SECRET`
