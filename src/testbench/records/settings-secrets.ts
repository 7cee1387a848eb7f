/**
 * Secrets that a program reads from files of settings (`.env`, JSON, YAML, TOML, INI and similar ones, `.npmrc`,
 * `.netrc`, `.pgpass`, credentials of AWS and Kubernetes). The values of secret names become known before the content is written to
 * the tape, so that they are found there and wherever they are sent. Other files are stored unchanged, except
 * for known values and keys of a known shape.
 *
 * In a `.env` file every secret name counts. The other files have ordinary words under such names
 * (`"password": "Your password"`): there a value counts only if it looks generated.
 */
import { parseJson } from '../../base/index.ts'
import type { Scrubber } from '../../scrub/index.ts'
import { nameRules } from '../../scrub/names.ts'

type Pair = { readonly name: string; readonly value: string }
type Format = { readonly file: RegExp; readonly pairs: (text: string) => Iterable<Pair> }

/** A larger file is not a list of settings. */
const MAX_BYTES = 1024 * 1024

/** `.env`, `.env.local`, `production.env`, `.envrc`. */
const DOTENV = /(?:^|[/\\])(?:\.env(?:\.[\w.-]+)?|[^/\\]+\.env|\.envrc)$/
const ASSIGNMENT =
  /^[ \t]*(?:export[ \t]+)?([A-Za-z_][\w.]*)[ \t]*=[ \t]*(?:"((?:[^"\\\r\n]|\\.)*)"|'([^'\r\n]*)'|`([^`\r\n]*)`|([^\s][^\r\n]*))/gm

const JSON_FIELD = /"([\w.:/-]{3,80})"\s*:\s*"((?:[^"\\\n]|\\.){8,4096})"/g
const SETTING =
  /^[ \t]*(?:-[ \t]+)?["']?([A-Za-z_][\w.-]*)["']?[ \t]*[:=][ \t]*(?:"([^"\n]*)"|'([^'\n]*)'|([^#\s]+))/gm
const NPM_SETTING = /(?:^|:)(_authToken|_password|_auth)[ \t]*=[ \t]*"?([^"\s]+)/gm
const NETRC_WORD = /\b(password|account)[ \t\n]+(\S+)/g

const formats: readonly Format[] = [
  { file: /\.json[c5]?$/, pairs: (text) => pairsOf(text, JSON_FIELD, unescaped) },
  {
    file: /(?:\.(?:ya?ml|toml|ini|properties|cfg|conf|cnf|tfvars)|[/\\]\.aws[/\\](?:credentials|config)|[/\\]\.kube[/\\]config)$/,
    pairs: (text) => pairsOf(text, SETTING),
  },
  { file: /(?:^|[/\\])\.npmrc$/, pairs: (text) => pairsOf(text, NPM_SETTING) },
  { file: /(?:^|[/\\])[._]netrc$/, pairs: (text) => pairsOf(text, NETRC_WORD) },
  { file: /(?:^|[/\\])\.pgpass$/, pairs: passwordsOfLines },
]
const SECRET_NAME = /pass|secret|token|key|auth|credential/i
const SETTINGS =
  /(?:\.(?:json[c5]?|ya?ml|toml|ini|properties|cfg|conf|cnf|tfvars)|rc|pgpass|[/\\]\.(?:aws|kube)[/\\]\w+)$/
const names = nameRules()

export function learnFromSettings(path: string, bytes: Uint8Array, scrubber: Scrubber): void {
  if (bytes.byteLength > MAX_BYTES) return
  if (DOTENV.test(path)) {
    // As the variable that it will become: a value under a secret name is known from now on.
    for (const { name, value } of variablesOf(textOf(bytes))) scrubber.env(name, value)
    return
  }
  if (!SETTINGS.test(path)) return
  const format = formats.find(({ file }) => file.test(path))
  const text = format === undefined ? '' : textOf(bytes)
  if (format === undefined || (format.pairs !== passwordsOfLines && !SECRET_NAME.test(text))) return
  for (const { name, value } of format.pairs(text))
    if (isSecretName(name) && looksMadeUp(value)) scrubber.learn('file', value)
}

function isSecretName(name: string): boolean {
  const last = name.slice(name.lastIndexOf('.') + 1)
  return names.isSecretField(last) || /^_(?:authToken|password|auth)$/.test(name) || name === 'account'
}

/** No word, no sentence, no path, no name of a variable, no placeholder. */
function looksMadeUp(value: string): boolean {
  if (value.length < 8 || /[\s<>{}$]/.test(value) || /^(?:https?:|\.{0,2}\/|\*+$|x+$)/i.test(value))
    return false
  return /[0-9]/.test(value) && /[A-Za-z]/.test(value)
}

function* pairsOf(
  text: string,
  pattern: RegExp,
  made: (value: string) => string = (value) => value,
): Generator<Pair> {
  for (const [, name = '', ...values] of text.matchAll(pattern))
    yield { name, value: made(values.find((value) => value !== undefined) ?? '') }
}

/** Readers differ about comments and escapes: a value is learned as each of them would read it. */
function* variablesOf(text: string): Generator<Pair> {
  for (const [, name = '', double, single, backticks, line] of text.matchAll(ASSIGNMENT)) {
    const quoted = double ?? single ?? backticks
    const values =
      line === undefined
        ? [quoted ?? '', double === undefined ? '' : withLineBreaks(double)]
        : [line, line.replace(/[ \t]#.*/, ''), line.replace(/#.*/, '')]
    for (const value of new Set(values)) yield { name, value: value.trim() }
  }
}

function withLineBreaks(value: string): string {
  return value.replace(/\\([nr"\\])/g, (_, char: string) =>
    char === 'n' ? '\n' : char === 'r' ? '\r' : char,
  )
}

/** `host:port:database:user:password`. */
function* passwordsOfLines(text: string): Generator<Pair> {
  for (const line of text.split('\n')) {
    const parts = line.replaceAll('\\:', '\0').split(':')
    if (!line.startsWith('#') && parts.length === 5)
      yield { name: 'password', value: (parts[4] ?? '').replaceAll('\0', ':') }
  }
}

function unescaped(value: string): string {
  if (!value.includes('\\')) return value
  try {
    return String(parseJson(`"${value}"`))
  } catch {
    // Not JSON after all: the plain text.
    return value
  }
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
}
