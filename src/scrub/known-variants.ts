/**
 * Other forms of a known value: quoted for a shell, CSV or SQL, with one level of escapes or line breaks
 * decoded, as a name of a file or a host, in hex if it is not ASCII. Spellings of JSON, HTML and URLs, base64
 * and hex of ASCII are found elsewhere.
 */

/** A value of ASCII without these characters has no other form. */
const SPECIAL = /[&<>"'\\\s]|[^\w@%+=:,./-]/

/** Has a character that no encoding changes: entities are found as spellings of the others. */
const IS_SPELLED = /[\w.-].{3}/s

export function variantsOf(value: string): readonly string[] {
  // The view of codes has ASCII only.
  const hex = /[^\x00-\x7f]/.test(value) ? Buffer.from(value).toString('hex') : ''
  const always = [
    ...(hex === '' ? [] : [hex, hex.toUpperCase()]),
    ...asFileName(value.trim()),
    ...asHostName(value),
  ]
  if (!SPECIAL.test(value)) return always
  const trimmed = value.trim()
  return [
    ...always,
    ...(IS_SPELLED.test(trimmed) ? [] : [...escapedForHtml(value), ...escapedForHtml(trimmed)]),
    ...quotedForShell(trimmed),
    // CSV and SQL.
    trimmed.replaceAll('"', '""'),
    trimmed.replaceAll("'", "''"),
    undoneEscapes(trimmed),
    // As `read` of a shell does.
    trimmed.replace(/\\(.)/gs, '$1'),
    // Forms use CRLF; a shell prints unquoted line breaks as blanks.
    value.replace(/\r?\n/g, '\r\n'),
    trimmed.replace(/\r?\n/g, '\r\n'),
    trimmed.replaceAll('\r\n', '\n'),
    trimmed.replace(/\s+/g, ' '),
    trimmed.replace(/\s+/g, ''),
  ]
}

/** URLs have names of hosts in lower case. */
function asHostName(value: string): readonly string[] {
  return /^[A-Za-z0-9-]{12,63}$/.test(value) && /\d/.test(value) ? [value.toLowerCase()] : []
}

/** Programs replace slashes in a name. The other alphabet of base64 replaces plus signs, too. */
function asFileName(value: string): readonly string[] {
  if (!/[/\\]/.test(value)) return []
  const names = ['_', '-'].map((char) => value.replace(/[/\\]/g, char))
  return [...names, value.replaceAll('+', '-').replaceAll('/', '_')]
}

const ENTITIES: readonly { readonly char: string; readonly forms: readonly string[] }[] = [
  { char: '<', forms: ['&lt;', '&#60;'] },
  { char: '>', forms: ['&gt;', '>', '&#62;'] },
  { char: '"', forms: ['&quot;', '"', '&#34;'] },
  { char: "'", forms: ['&#39;', "'", '&apos;', '&#x27;', '&#039;'] },
]

/** Libraries differ in which characters they escape, and how. */
function escapedForHtml(value: string): readonly string[] {
  let forms: readonly string[] = [value.replaceAll('&', '&amp;')]
  for (const { char, forms: spellings } of ENTITIES)
    if (value.includes(char))
      forms = forms.flatMap((form) => spellings.map((spelling) => form.replaceAll(char, spelling)))
  return forms
}

function quotedForShell(value: string): readonly string[] {
  return [
    value.replaceAll("'", `'\\''`),
    value.replaceAll("'", `'"'"'`),
    value.replace(/[^\w@%+=:,./-]/g, '\\$&'),
  ]
}

const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  a: '\u0007',
  b: '\b',
  f: '\f',
  v: '\v',
  '\\': '\\',
}

/** As `echo` of some shells prints it. */
function undoneEscapes(value: string): string {
  return value.replace(/\\([ntrabfv\\])/g, (_, letter: string) => ESCAPES[letter] ?? '')
}
