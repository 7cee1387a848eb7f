/**
 * The screen of a running program, for what must be known while it runs: answers to its queries, and what a
 * script waits for. Fed with the program's own bytes, kept in memory only; frames come from the scrubbed
 * recording.
 *
 * A program that is only answered costs no emulation until it asks.
 */

import type { Size } from '../codec/records.ts'
import { createTerminal, type Terminal } from '../terminal/terminal.ts'

export type LiveScreen = {
  feed(bytes: Uint8Array): Promise<void>
  resize(size: Size): Promise<void>
  /** The current rows, trailing spaces trimmed. */
  rows(): Promise<readonly string[]>
  bracketedPaste(): Promise<boolean>
  dispose(): void
}

/** Device attributes, status and cursor reports, mode and version requests, sizes, colours, ENQ. */
const QUERY = /\x1b\[[?>=]?[0-9;]*(?:[cnt]|\$p|q)|\x1b\](?:4|1[0-9]);[^\x07\x1b]*\?|\x1bP[+$]q|\x1bZ|\x05/
const TAIL = 64
/**
 * What is kept for a program that has not asked yet. Cursor and screen follow from the end of it, after any
 * but a contrived stream.
 */
const MOST_KEPT = 512 * 1024

export function createLiveScreen(size: Size, onReply: (bytes: Uint8Array) => void): LiveScreen {
  const terminal: Terminal = createTerminal(size)
  terminal.onReply(onReply)
  let kept: (Uint8Array | Size)[] = []
  let keptBytes = 0
  let tail = ''
  let { rows } = size
  const catchUp = async (): Promise<void> => {
    const parts = kept
    kept = []
    keptBytes = 0
    for (const part of parts) {
      if (part instanceof Uint8Array) await terminal.feed(part)
      else terminal.resize(part)
    }
  }
  return {
    async feed(bytes) {
      // Most output asks nothing, and needs no more than a look for ESC and ENQ. Of many plain lines only the
      // last are still on the screen.
      const isPlain = !bytes.includes(0x1b) && !bytes.includes(0x05)
      const part = Uint8Array.prototype.slice.call(bytes, isPlain ? lastLines(bytes, rows) : 0)
      kept.push(part)
      keptBytes += part.byteLength
      if (tail !== '' || !isPlain) {
        const text = tail + Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
        const asks = QUERY.test(text)
        const open = text.lastIndexOf('\x1b')
        // Only a sequence that is still open can become a query.
        tail = asks || open === -1 || text.length - open > TAIL ? '' : text.slice(open)
        if (asks) await catchUp()
      }
      while (keptBytes > MOST_KEPT) {
        const oldest = kept.shift()
        if (oldest === undefined) break
        if (oldest instanceof Uint8Array) keptBytes -= oldest.byteLength
        else terminal.resize(oldest)
      }
    },
    async resize(next) {
      kept.push(next)
      rows = Math.max(rows, next.rows)
    },
    async rows() {
      await catchUp()
      return terminal.rows().map((row) => row.text.trimEnd())
    },
    async bracketedPaste() {
      await catchUp()
      return terminal.bracketedPaste
    },
    dispose: () => terminal.dispose(),
  }
}

/**
 * Where those lines begin that fill the screen: each of them ends within these bytes, so nothing above them
 * is left on it.
 */
function lastLines(bytes: Uint8Array, rows: number): number {
  let at = bytes.byteLength
  for (let line = 0; line <= 2 * rows; line += 1) {
    at = bytes.lastIndexOf(0x0a, at - 1)
    if (at <= 0) return 0
  }
  return at
}
