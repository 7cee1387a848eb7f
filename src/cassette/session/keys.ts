/**
 * Keys by name, and what a terminal sends for each. The first rows are the format's own names; the rest are
 * ours.
 */
import { RepriseError } from '../../errors/index.ts'

const KEYS: Readonly<Record<string, string>> = {
  enter: '\r',
  tab: '\t',
  escape: '\x1b',
  backspace: '\x7f',
  up: '\x1b[A',
  down: '\x1b[B',
  right: '\x1b[C',
  left: '\x1b[D',
  space: ' ',
  home: '\x1b[H',
  end: '\x1b[F',
  'page-up': '\x1b[5~',
  'page-down': '\x1b[6~',
  insert: '\x1b[2~',
  delete: '\x1b[3~',
  'shift-tab': '\x1b[Z',
  f1: '\x1bOP',
  f2: '\x1bOQ',
  f3: '\x1bOR',
  f4: '\x1bOS',
  f5: '\x1b[15~',
  f6: '\x1b[17~',
  f7: '\x1b[18~',
  f8: '\x1b[19~',
  f9: '\x1b[20~',
  f10: '\x1b[21~',
  f11: '\x1b[23~',
  f12: '\x1b[24~',
}

export function keyBytes(name: string): Uint8Array {
  const key = name.toLowerCase()
  const plain = KEYS[key]
  if (plain !== undefined) return Buffer.from(plain)
  const control = /^ctrl-([a-z])$/.exec(key)?.[1]
  if (control !== undefined) return Buffer.from([control.charCodeAt(0) - 0x60])
  const alt = /^alt-([!-~])$/.exec(name)?.[1]
  if (alt !== undefined) return Buffer.from(`\x1b${alt}`)
  throw new RepriseError('cassette-key', `unsupported key "${name}"`, {
    details: { key: name },
    hint: `one of ${Object.keys(KEYS).join(', ')}, ctrl-a to ctrl-z, alt-x`,
  })
}

const PASTE_START = '\x1b[200~'
const PASTE_END = '\x1b[201~'

/**
 * Pasted text as a terminal sends it. An end mark inside the text would end the paste early and run the rest
 * as typed, so it is taken out.
 */
export function pasteBytes(text: string, bracketed: boolean): Uint8Array {
  return Buffer.from(
    bracketed ? `${PASTE_START}${text.replaceAll(PASTE_END, '').replaceAll('\x1b', '')}${PASTE_END}` : text,
  )
}
