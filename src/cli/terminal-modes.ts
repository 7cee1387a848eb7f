/**
 * Follows which modes of a terminal a recording switches on, to switch off exactly those at its end. Leaving
 * an alternate screen that was never entered would move the cursor into what was printed before.
 */
const MODES = new Set([1, 9, 47, 1000, 1002, 1003, 1004, 1005, 1006, 1015, 1047, 1049, 2004, 2026])
/** On unless a program switches it off. */
const CURSOR = 25
const MAX_TAIL = 32

export type TerminalModes = {
  feed(bytes: Uint8Array): void
  /** Resets what is on; the terminal is then as it was before the first byte. */
  restore(): string
}

export function createTerminalModes(): TerminalModes {
  const on = new Set<number>()
  let isCursorHidden = false
  let isKeypadOn = false
  let hasMargins = false
  let tail = ''
  const set = (mode: number, value: boolean): void => {
    if (mode === CURSOR) isCursorHidden = !value
    else if (MODES.has(mode) && value) on.add(mode)
    else on.delete(mode)
  }
  return {
    feed(bytes) {
      const text = tail + Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
      for (const [, modes, letter, other] of text.matchAll(SEQUENCE)) {
        if (modes !== undefined) for (const mode of modes.split(';')) set(Number(mode), letter === 'h')
        else if (other === '=' || other === '>') isKeypadOn = other === '='
        else if (other === 'c') {
          on.clear()
          isCursorHidden = isKeypadOn = hasMargins = false
        } else hasMargins = other !== '[r'
      }
      const open = text.lastIndexOf('\u001b')
      // Only a sequence that is not whole is read again.
      const rest = open < 0 || text.length - open > MAX_TAIL ? '' : text.slice(open)
      tail = new RegExp(SEQUENCE.source).test(rest) ? '' : rest
    },
    restore() {
      const modes = [...on].map((mode) => `\u001b[?${mode}l`).join('')
      const margins = hasMargins ? '\u001b7\u001b[r\u001b8' : ''
      const cursor = isCursorHidden ? '\u001b[?25h' : ''
      return `\u001b[0m${margins}${modes}${cursor}${isKeypadOn ? '\u001b>' : ''}`
    },
  }
}

/** Private modes, keypad modes, a full reset, margins. */
const SEQUENCE = /\u001b(?:\[\?([\d;]+)([hl])|([=>c]|\[(?:\d+;\d+)?r))/g
