/** A screen as a picture: one SVG, no script, no outside font or address, every text escaped. */
import type { Cell, Frame } from '../codec/records.ts'
import { cellText, DEFAULT_BG, DEFAULT_FG, MODE } from './frame.ts'

const CELL_WIDTH = 8.4
const LINE_HEIGHT = 17
const BASELINE = 13
const PADDING = 10
const FOREGROUND = '#d4d4d4'
const BACKGROUND = '#1e1e1e'
const BASIC = [
  '#000000',
  '#cd3131',
  '#0dbc79',
  '#e5e510',
  '#2472c8',
  '#bc3fbc',
  '#11a8cd',
  '#e5e5e5',
  '#666666',
  '#f14c4c',
  '#23d18b',
  '#f5f543',
  '#3b8eea',
  '#d670d6',
  '#29b8db',
  '#ffffff',
]

export function frameSvg(frame: Frame): string {
  const width = Math.ceil(frame.size.cols * CELL_WIDTH + 2 * PADDING)
  const height = frame.size.rows * LINE_HEIGHT + 2 * PADDING
  const rows = frame.cells.map((row, at) => rowSvg(row, at)).join('')
  const title = frame.title === '' ? '' : `<title>${escaped(frame.title)}</title>`
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">${title}`,
    `<rect width="100%" height="100%" rx="6" fill="${BACKGROUND}"/>`,
    `<g font-family="ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace" font-size="14" xml:space="preserve">${rows}${cursorSvg(frame)}</g></svg>\n`,
  ].join('\n')
}

function rowSvg(row: readonly Cell[], at: number): string {
  const y = PADDING + at * LINE_HEIGHT
  let out = ''
  for (const { col, cells } of runs(row)) {
    const [first] = cells
    if (first === undefined) continue
    const x = round(PADDING + col * CELL_WIDTH)
    const width = round(cells.length * CELL_WIDTH)
    const { fg, bg } = colours(first)
    if (bg !== BACKGROUND)
      out += `<rect x="${x}" y="${y}" width="${width}" height="${LINE_HEIGHT}" fill="${bg}"/>`
    const shown = cells.slice(0, cells.findLastIndex((cell) => cell.char !== 32) + 1)
    const text = shown.map(cellText).join('')
    if (text.trim() === '' || (first.mode & MODE.invisible) !== 0) continue
    out += `<text x="${x}" y="${y + BASELINE}" textLength="${round(shown.length * CELL_WIDTH)}" fill="${fg}"${styles(first.mode)}>${escaped(text)}</text>`
  }
  return out
}

function runs(row: readonly Cell[]): { col: number; cells: Cell[] }[] {
  const found: { col: number; cells: Cell[] }[] = []
  row.forEach((cell, col) => {
    const open = found[found.length - 1]
    const first = open?.cells[0]
    const same =
      first !== undefined &&
      first.fg === cell.fg &&
      first.bg === cell.bg &&
      (first.mode & ~MODE.wrap) === (cell.mode & ~MODE.wrap)
    if (open !== undefined && same) open.cells.push(cell)
    else found.push({ col, cells: [cell] })
  })
  return found
}

function colours(cell: Cell): { fg: string; bg: string } {
  const bright =
    (cell.mode & MODE.bold) !== 0 && cell.fg < 8 && (cell.mode & MODE.fgRgb) === 0 ? cell.fg + 8 : cell.fg
  const fg = cell.fg === DEFAULT_FG ? FOREGROUND : colour(bright, (cell.mode & MODE.fgRgb) !== 0)
  const bg = cell.bg === DEFAULT_BG ? BACKGROUND : colour(cell.bg, (cell.mode & MODE.bgRgb) !== 0)
  return (cell.mode & MODE.reverse) !== 0 ? { fg: bg, bg: fg } : { fg, bg }
}

function colour(value: number, isRgb: boolean): string {
  if (isRgb || value > 255) return `#${(value & 0xffffff).toString(16).padStart(6, '0')}`
  if (value < 16) return BASIC[value] ?? FOREGROUND
  if (value >= 232) return `#${(8 + (value - 232) * 10).toString(16).padStart(2, '0').repeat(3)}`
  const level = (part: number): string => (part === 0 ? 0 : 55 + part * 40).toString(16).padStart(2, '0')
  const cube = value - 16
  return `#${level(Math.floor(cube / 36))}${level(Math.floor(cube / 6) % 6)}${level(cube % 6)}`
}

function styles(mode: number): string {
  const decoration = [
    (mode & MODE.underline) !== 0 && 'underline',
    (mode & MODE.strikethrough) !== 0 && 'line-through',
    (mode & MODE.overline) !== 0 && 'overline',
  ]
  const lines = decoration.filter((part) => part !== false).join(' ')
  return [
    (mode & MODE.bold) !== 0 ? ' font-weight="bold"' : '',
    (mode & MODE.italic) !== 0 ? ' font-style="italic"' : '',
    (mode & MODE.dim) !== 0 ? ' opacity="0.6"' : '',
    lines === '' ? '' : ` text-decoration="${lines}"`,
  ].join('')
}

function cursorSvg({ cursor }: Frame): string {
  if (!cursor.visible) return ''
  const [x, y] = [round(PADDING + cursor.col * CELL_WIDTH), PADDING + cursor.row * LINE_HEIGHT]
  return `<rect x="${x}" y="${y}" width="${CELL_WIDTH}" height="${LINE_HEIGHT}" fill="none" stroke="${FOREGROUND}"/>`
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}

/** Control characters are not allowed in XML at all. */
function escaped(text: string): string {
  return text
    .replace(
      /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g,
      '\ufffd',
    )
    .replace(/[<>&"']/g, (char) => `&#${char.charCodeAt(0)};`)
}
