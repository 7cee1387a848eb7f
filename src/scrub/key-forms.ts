/**
 * Private keys as text (PEM). Their placeholder shows in which of these forms the key was: `private_key_block` for
 * PKCS #8, `private_key_block:rsa` for PKCS #1, and so on. The form is no secret, and a replay needs it: libraries
 * read the first line of a key themselves.
 *
 * Decision 0500.
 */
const LABELS = {
  pkcs8: 'PRIVATE KEY',
  rsa: 'RSA PRIVATE KEY',
  ec: 'EC PRIVATE KEY',
  dsa: 'DSA PRIVATE KEY',
  openssh: 'OPENSSH PRIVATE KEY',
  encrypted: 'ENCRYPTED PRIVATE KEY',
} as const

export type KeyForm = keyof typeof LABELS

const FORMS = new Map<string, KeyForm>(
  Object.entries(LABELS).map(([form, label]) => [label, form as KeyForm]),
)

/** The form by the words of the first line. Null for another one. */
export function formOfLabel(label: string): KeyForm | null {
  return FORMS.get(label.replaceAll('+', ' ')) ?? null
}

/** The form of a text that begins with a private key. */
export function formOfKey(text: string): KeyForm | null {
  const label = /^\s*-----BEGIN ([A-Z0-9 ]{1,60})-----/.exec(text)?.[1]
  return label === undefined ? null : formOfLabel(label)
}

const PLACEHOLDER =
  /<redacted:(?:private_key_block(?::([a-z0-9]+))?|env:[A-Za-z0-9_.-]+:([a-z0-9]+))(?:#\d+)?>/g

/** Calls `replace` for each placeholder of a private key in the text, with what is before it in its line. */
export function replaceKeyPlaceholders(
  text: string,
  replace: (placeholder: string, form: KeyForm, before: string) => string,
): string {
  return text.replace(PLACEHOLDER, (found: string, ofBlock: string | undefined, ofVariable, at: number) => {
    const form: unknown = ofBlock ?? ofVariable ?? 'pkcs8'
    const before = text.slice(text.lastIndexOf('\n', at) + 1, at)
    return isForm(form) ? replace(found, form, before) : found
  })
}

function isForm(form: unknown): form is KeyForm {
  return typeof form === 'string' && Object.hasOwn(LABELS, form)
}

/** Without its last word: `<redacted:env:NAME:rsa>` is the variable `NAME`. */
export const VARIABLE_PLACEHOLDER: RegExp = new RegExp(
  `^<redacted:env:([^>]+?)(?::(?:${Object.keys(LABELS).join('|')}))?>$`,
)

/** A text in the form of a key, and what it contains. It is no key. */
export function standInKeyText(
  placeholder: string,
  form: KeyForm,
): { readonly text: string; readonly content: string } {
  const label = LABELS[form]
  // No placeholder: the scrubber keeps those, also inside of base64.
  const content = `stand-in of ${placeholder.slice('<redacted:'.length, -1)}`
  const encoded = Buffer.from(content).toString('base64')
  return { text: `-----BEGIN ${label}-----\n${encoded}\n-----END ${label}-----`, content }
}
