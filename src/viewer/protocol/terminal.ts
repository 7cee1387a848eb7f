/**
 * A terminal cassette. The page plays the bytes of `output` through its emulator; frames serve seeking,
 * search and screen readers.
 */
import type { FindingList } from './findings.ts'

export type CassetteDocument = {
  readonly path: string
  readonly command: readonly string[]
  readonly term: string
  readonly rows: number
  readonly cols: number
  readonly durationMs: number
  readonly recordedAt: string | null
  readonly emulator: string
  readonly exit: { readonly code: number; readonly signal: string } | null
  readonly finalText: string
  readonly outputBytes: number
  readonly chunks: number
  readonly frames: number
  readonly inputs: readonly CassetteInput[]
  /**
   * The tape that this terminal belongs to, and how to place it on that time line: tape time = `offsetMs` +
   * cassette time.
   */
  readonly tape: { readonly item: string; readonly row: number; readonly offsetMs: number } | null
  readonly masked: readonly { readonly rule: string; readonly count: number }[]
  readonly findings: FindingList
}

export type CassetteInput = {
  readonly atMs: number
  readonly kind: 'input' | 'resize' | 'signal' | 'other'
  /** Printable form of what was typed, the size, or the signal. */
  readonly text: string
  readonly rows: number | null
  readonly cols: number | null
  /** An answer of the terminal itself, which no user typed. */
  readonly reply: boolean
}

/**
 * Chunks `[n, atMs, offset, length]`: bytes `offset … offset+length` of the output arrived at `atMs`. Windows
 * of at most 5000.
 */
export type CassetteChunks = {
  readonly from: number
  readonly chunks: readonly (readonly [atMs: number, offset: number, length: number])[]
}

export type CassetteFrames = { readonly from: number; readonly frames: readonly CassetteFrame[] }

export type CassetteFrame = {
  readonly frame: number
  readonly atMs: number
  readonly rows: number
  readonly cols: number
  /** Lines of the screen. */
  readonly text: readonly string[]
  readonly cursor: { readonly row: number; readonly col: number; readonly visible: boolean }
  readonly title: string
  readonly alternate: boolean
  /** Bytes of the output up to this frame. */
  readonly outputEnd: number
}

export type ScreenHit = {
  readonly frame: number
  readonly atMs: number
  readonly line: number
  readonly text: string
}
