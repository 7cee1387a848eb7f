/**
 * A path as git writes it in a diff: quoted, with C escapes byte by byte, where a plain one would be misread.
 */
const PLAIN = /^[\x20-\x21\x23-\x5b\x5d-\x7e]*$/
const ESCAPES: Readonly<Record<number, string>> = {
  7: '\\a',
  8: '\\b',
  9: '\\t',
  10: '\\n',
  11: '\\v',
  12: '\\f',
  13: '\\r',
  34: '\\"',
  92: '\\\\',
}

export function quotedName(path: string): string {
  if (PLAIN.test(path)) return path
  let quoted = ''
  for (const byte of Buffer.from(path)) {
    const plain = byte >= 0x20 && byte < 0x7f
    quoted += ESCAPES[byte] ?? (plain ? String.fromCharCode(byte) : `\\${byte.toString(8).padStart(3, '0')}`)
  }
  return `"${quoted}"`
}

/**
 * For the lines `---` and `+++`: a name with a space ends in a tab, so that it is not read as name and date.
 */
export function headingName(path: string): string {
  const name = quotedName(path)
  return name.includes(' ') && !name.startsWith('"') ? `${name}\t` : name
}
