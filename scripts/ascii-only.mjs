/** The same JavaScript in ASCII: what is beyond it is escaped, as texts and regular expressions allow. */
export function asciiOnly(code) {
  return code.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
