/** The forms in which a secret travels: what each makes of a text. */
const base64 = (text: string): string => Buffer.from(text).toString('base64')
const codes = (text: string, code: (byte: number) => string, between = ''): string =>
  [...Buffer.from(text)].map(code).join(between)
const hexOf = (byte: number): string => byte.toString(16).padStart(2, '0')
const inJson = (text: string): string => JSON.stringify(text).slice(1, -1)

export const encodings: Readonly<Record<string, (text: string) => string>> = {
  plain: (text) => text,
  'JSON escapes': inJson,
  'JSON in JSON': (text) => inJson(inJson(text)),
  'JSON in JSON in JSON': (text) => inJson(inJson(inJson(text))),
  'unicode escapes': (text) =>
    inJson(text)
      .replaceAll('\\n', '\\u000a')
      .replace(/[+/=<>&]/g, (char) => `\\u00${char.charCodeAt(0).toString(16).toUpperCase()}`),
  'escaped slashes': (text) => inJson(text).replaceAll('/', '\\/'),
  'URL-encoded': (text) => encodeURIComponent(text),
  'URL-encoded twice': (text) => encodeURIComponent(encodeURIComponent(text)),
  form: (text) => new URLSearchParams([['a', text]]).toString().slice(2),
  base64,
  'base64, one byte in': (text) => base64(`x${text} yz`),
  'base64, two bytes in': (text) => base64(`xy${text} z`),
  base64url: (text) => Buffer.from(text).toString('base64url'),
  'base64 of base64': (text) => base64(base64(text)),
  'base64 in lines': (text) =>
    base64(`${'lead '.repeat(9)}${text} ${'tail '.repeat(9)}`).replace(/.{76}/g, '$&\n'),
  'base64 in short lines': (text) => base64(`lead ${text} tail`).replace(/.{20}/g, '$&\n'),
  hex: (text) => Buffer.from(text).toString('hex'),
  'hex of a printed buffer': (text) => codes(text, hexOf, ' '),
  'hex escapes': (text) => codes(text, (byte) => `\\x${hexOf(byte)}`),
  'code points': (text) => codes(text, (byte) => `\\u{${hexOf(byte)}}`),
  'HTML entities': (text) => codes(text, (byte) => `&#${byte};`),
  'a list of numbers': (text) => codes(text, String, ', '),
  'JSON of a buffer': (text) => JSON.stringify(Buffer.from(text), null, 4),
}
