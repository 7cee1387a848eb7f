/**
 * Sequences that change no text on a screen and move nothing, in the emulator and in common terminals. After
 * any other the order of the stream need not be that of the screen.
 */

/** Modes of keyboard, mouse, cursor, colours and reports. */
const STILL_PRIVATE_MODES: ReadonlySet<number> = new Set([
  1, 5, 8, 9, 12, 13, 25, 66, 1000, 1001, 1002, 1003, 1004, 1005, 1006, 1007, 1015, 1016, 1034, 1035, 1036,
  1039, 1042, 1043, 2004, 2026, 2027, 2031, 2048, 9001,
])
const STILL_MODES: ReadonlySet<number> = new Set([2, 12])

export function isStillCsi(prefix: string, params: string, intermediates: string, final: string): boolean {
  if (final === 'm') return true
  if (final === 'h' || final === 'l') {
    const modes = prefix === '?' ? STILL_PRIVATE_MODES : STILL_MODES
    return (prefix === '' || prefix === '?') && params.split(';').every((mode) => modes.has(Number(mode)))
  }
  switch (prefix) {
    case '':
      return 'cnpqtx'.includes(final)
    case '?':
      return 'cnpuS'.includes(final)
    default:
      // Queries, and how keys are reported.
      return intermediates === ''
  }
}

/** Selects ASCII, UTF-8, the mode of the keypad or of control characters, or ends a string. */
export function isStillEscape(intermediates: string, final: string): boolean {
  switch (intermediates) {
    case '':
      return '\\=>Z'.includes(final)
    case '%':
      return final === 'G' || final === '@'
    case ' ':
      return 'FGLMN'.includes(final)
    default:
      return final === 'B' && /^[()*+]$/.test(intermediates)
  }
}
