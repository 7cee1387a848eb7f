/**
 * A terminal without a screen: bytes in, frames out, on @xterm/headless. The same bytes and resizes give the
 * same frames, however they are cut into feeds.
 *
 * Keeps no scrollback by default. Does not draw images and sixels. Sends nothing to the program: what a real
 * terminal would answer to a query is passed to `onReply`.
 *
 * Decision 0065.
 */
import { createRequire } from 'node:module'
import type * as Headless from '@xterm/headless'
import type { IBufferCell, IBufferLine, Terminal as Xterm } from '@xterm/headless'
import { RepriseError } from '../../errors/index.ts'
import type { Cell, Emulator, Frame, Size } from '../codec/records.ts'
import { boundCounts } from './bounded-counts.ts'
import { charWidth, WIDTHS_VERSION } from './char-width.ts'
import { DEFAULT_BG, DEFAULT_FG, MODE } from './frame.ts'

export type Terminal = {
  readonly size: Size
  feed(bytes: Uint8Array): Promise<void>
  /** The same; a promise only where the emulator cannot do it at once. */
  write(bytes: Uint8Array): void | Promise<void>
  resize(size: Size): void
  snapshot(): Frame
  /** The rows as text, and whether each goes on in the next: cheaper than a snapshot. */
  rows(): readonly ScreenRow[]
  /** Every line that is still known, from the oldest of the scrollback to the last of the screen. */
  history(): readonly string[]
  readonly bracketedPaste: boolean
  onReply(listener: (reply: Uint8Array) => void): void
  /** As new, at this size, with nothing fed. */
  reset(size: Size): void
  dispose(): void
}

export type ScreenRow = { readonly text: string; readonly wraps: boolean }

let version: string | null = null
let library: typeof Headless | null = null

/** Loaded with the first terminal: a program that is recorded and drives none does without it. */
function xterm(): typeof Headless {
  const loaded: typeof Headless = library ?? createRequire(import.meta.url)('@xterm/headless')
  library = loaded
  return loaded
}

/** Name and version as the manifest stores them. The table of widths counts as a part of the version. */
export function emulator(): Emulator {
  version ??= String(createRequire(import.meta.url)('@xterm/headless/package.json').version)
  return { name: '@xterm/headless', version: `${version}+${WIDTHS_VERSION}` }
}

export const MAX_SIDE = 10_000
export const MAX_CELLS = 4_000_000

export function checkedSize(size: Size): Size {
  const fits = (side: number): boolean => Number.isInteger(side) && side > 0 && side <= MAX_SIDE
  if (!fits(size.rows) || !fits(size.cols) || size.rows * size.cols > MAX_CELLS) {
    throw new RepriseError(
      'cassette-terminal-size',
      `invalid terminal size rows=${size.rows} cols=${size.cols}`,
      {
        details: { rows: size.rows, cols: size.cols },
        hint: `whole numbers from 1 to ${MAX_SIDE}, and at most ${MAX_CELLS} cells`,
      },
    )
  }
  return size
}

export function createTerminal(initial: Size, scrollback = 0): Terminal {
  checkedSize(initial)
  const core = new (xterm().Terminal)({
    rows: initial.rows,
    cols: initial.cols,
    scrollback,
    allowProposedApi: true,
    logLevel: 'off',
    windowOptions: { getWinSizeChars: true },
  })
  useWidths(core)
  boundCounts(core)
  const pass = writer(core)
  let title = ''
  let cursorVisible = true
  let [rawStart, rawEnd, tail] = [0, 0, new Uint8Array()]
  core.onTitleChange((text) => {
    title = text
  })
  const showCursor = (visible: boolean) => (params: readonly (number | number[])[]) => {
    if (params.includes(25)) cursorVisible = visible
    return false
  }
  const resetCursor = () => {
    cursorVisible = true
    return false
  }
  core.parser.registerCsiHandler({ prefix: '?', final: 'h' }, showCursor(true))
  core.parser.registerCsiHandler({ prefix: '?', final: 'l' }, showCursor(false))
  core.parser.registerCsiHandler({ intermediates: '!', final: 'p' }, resetCursor)
  core.parser.registerEscHandler({ final: 'c' }, resetCursor)
  const write = (bytes: Uint8Array): void | Promise<void> => {
    rawStart = rawEnd
    rawEnd += bytes.byteLength
    // The emulator loses a character that is cut after a byte 0x80, so it gets whole ones.
    const whole = tail.byteLength === 0 ? bytes : Buffer.concat([tail, bytes])
    tail = unfinishedCharacter(whole)
    return pass(whole.subarray(0, whole.byteLength - tail.byteLength))
  }
  const size = (): Size => ({ rows: core.rows, cols: core.cols })
  const lines = (): (IBufferLine | undefined)[] => {
    const { active } = core.buffer
    return Array.from({ length: core.rows }, (_, row) => active.getLine(active.baseY + row))
  }
  return {
    get size() {
      return size()
    },
    get bracketedPaste() {
      return core.modes.bracketedPasteMode
    },
    async feed(bytes) {
      await write(bytes)
    },
    write,
    resize(next) {
      checkedSize(next)
      core.resize(next.cols, next.rows)
    },
    rows() {
      const shown = lines()
      return shown.map((line, row) => ({
        text: line?.translateToString(true) ?? '',
        wraps: shown[row + 1]?.isWrapped === true,
      }))
    },
    history() {
      const { active } = core.buffer
      return Array.from(
        { length: active.length },
        (_, row) => active.getLine(row)?.translateToString(true).trimEnd() ?? '',
      )
    },
    snapshot() {
      const { active } = core.buffer
      const shown = lines()
      return {
        size: size(),
        text: shown.map((line) => line?.translateToString(true).trimEnd() ?? ''),
        cells: shown.map((line, row) => readCells(line, core.cols, shown[row + 1]?.isWrapped === true)),
        cursor: { row: active.cursorY, col: Math.min(active.cursorX, core.cols - 1), visible: cursorVisible },
        title,
        alternate: active.type === 'alternate',
        rawStart,
        rawEnd,
        parserOffset: rawEnd - tail.byteLength,
      }
    },
    onReply(listener) {
      core.onData((text) => listener(Buffer.from(text, 'utf8')))
      core.onBinary((text) => listener(Buffer.from(text, 'latin1')))
    },
    reset(next) {
      // Its own reset keeps an open sequence and the mode of line feeds.
      void pass(CANCEL_AND_RESET)
      core.options.convertEol = false
      core.reset()
      core.resize(checkedSize(next).cols, next.rows)
      ;[title, cursorVisible, rawStart, rawEnd, tail] = ['', true, 0, 0, new Uint8Array()]
    },
    dispose: () => core.dispose(),
  }
}

const CANCEL_AND_RESET = Buffer.from('\x18\x1bc')

type SyncCore = { writeSync(bytes: Uint8Array): void }

/**
 * The emulator's public `write` answers through a timer, about 900 times a second; its own synchronous write
 * has no such limit and no asynchronous handler is registered here that would need the other. Where a later
 * version lacks it, the public one serves.
 */
function writer(core: Xterm): (bytes: Uint8Array) => void | Promise<void> {
  const inner: unknown = Reflect.get(core, '_core')
  if (canWriteSync(inner)) return (bytes) => inner.writeSync(bytes)
  return (bytes) => new Promise((resolve) => core.write(bytes, resolve))
}

function canWriteSync(value: unknown): value is SyncCore {
  return (
    typeof value === 'object' &&
    value !== null &&
    'writeSync' in value &&
    typeof value.writeSync === 'function'
  )
}

function useWidths(core: Xterm): void {
  core.unicode.register({
    version: WIDTHS_VERSION,
    wcwidth: charWidth,
    charProperties(codePoint, preceding) {
      // Bit 0: joins the character before; bits 1 and 2: width.
      const width = charWidth(codePoint)
      const before = (preceding >> 1) & 3
      const joins = width === 0 && preceding !== 0 && before !== 0
      return ((joins ? Math.max(before, width) : width) << 1) | (joins ? 1 : 0)
    },
  })
  core.unicode.activeVersion = WIDTHS_VERSION
}

/** The bytes of a UTF-8 character that has begun at the end and is not whole. */
function unfinishedCharacter(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  for (let back = 1; back <= Math.min(3, bytes.byteLength); back += 1) {
    const byte = bytes[bytes.byteLength - back] ?? 0
    if (byte < 0x80) break
    if (byte < 0xc0) continue
    const needs = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2
    return new Uint8Array(needs > back ? bytes.subarray(bytes.byteLength - back) : [])
  }
  return new Uint8Array()
}

function readCells(line: IBufferLine | undefined, cols: number, wraps: boolean): readonly Cell[] {
  const row: Cell[] = []
  let reused: IBufferCell | undefined
  for (let col = 0; col < cols; col += 1) {
    reused = line?.getCell(col, reused)
    const cell =
      reused === undefined
        ? { char: 32, mode: 0, fg: DEFAULT_FG, bg: DEFAULT_BG, combining: '' }
        : readCell(reused)
    row.push(wraps && col === cols - 1 ? { ...cell, mode: cell.mode | MODE.wrap } : cell)
  }
  return row
}

function readCell(cell: IBufferCell): Cell {
  const chars = cell.getChars()
  const char = cell.getWidth() === 0 ? 0 : (chars.codePointAt(0) ?? 32)
  const fgRgb = cell.isFgRGB()
  const bgRgb = cell.isBgRGB()
  const fg = cell.isFgDefault() ? DEFAULT_FG : cell.getFgColor()
  const bg = cell.isBgDefault() ? DEFAULT_BG : cell.getBgColor()
  let mode = 0
  if (!cell.isAttributeDefault()) {
    if (cell.isInverse()) mode |= MODE.reverse
    if (cell.isUnderline()) mode |= MODE.underline
    if (cell.isBold()) mode |= MODE.bold
    if (cell.isItalic()) mode |= MODE.italic
    if (cell.isBlink()) mode |= MODE.blink
    if (cell.isDim()) mode |= MODE.dim
    if (cell.isInvisible()) mode |= MODE.invisible
    if (cell.isStrikethrough()) mode |= MODE.strikethrough
    if (cell.isOverline()) mode |= MODE.overline
    if (fgRgb && fg < 256) mode |= MODE.fgRgb
    if (bgRgb && bg < 256) mode |= MODE.bgRgb
  }
  const first = chars.length === 0 ? 0 : char > 0xffff ? 2 : 1
  return { char, mode, fg, bg, combining: char === 0 ? '' : chars.slice(first) }
}
