/**
 * Text for a terminal: colours if it is one and NO_COLOR is not set, a pager if it is one and the text may be long. What comes from a tape is
 * made printable here, piece by piece, so that only our own colours act.
 */
import { printable } from '../../base/index.ts'
import type { Output } from '../output.ts'

export type Style = 'plain' | 'strong' | 'dim' | 'error' | 'warning' | 'llm' | 'mcp' | 'network' | 'files' | 'processes' | 'terminal' | 'other'

const CODES: Readonly<Record<Style, string>> = {
  plain: '',
  strong: '1',
  dim: '2',
  error: '31',
  warning: '33',
  llm: '35',
  mcp: '36',
  network: '34',
  files: '32',
  processes: '33',
  terminal: '33',
  other: '2',
}

export type Piece = readonly [style: Style, text: string]

export type Screen = {
  line(...pieces: readonly (Piece | string)[]): Promise<void>
  /** Text of several lines, each indented. */
  block(text: string, style?: Style): Promise<void>
  close(): Promise<void>
}

export async function openScreen(output: Output): Promise<Screen> {
  const { stdoutIsTerminal } = await import('../../real/terminal-io.ts')
  const { realEnv } = await import('../../real/process.ts')
  const isTerminal = stdoutIsTerminal()
  const colours = isTerminal && (realEnv.NO_COLOR ?? '') === ''
  const pager = isTerminal ? await (await import('../../real/pager.ts')).openPager() : null
  const write = async (text: string): Promise<void> => {
    if (pager === null) output.painted(text)
    else await pager.write(`${text}\n`)
  }
  const line: Screen['line'] = (...pieces) => write(pieces.map((piece) => paint(piece, colours)).join(''))
  return {
    line,
    async block(text, style = 'plain') {
      for (const each of text.replace(/\n$/, '').split('\n')) await line('    ', [style, each])
    },
    close: async () => await pager?.close(),
  }
}

const MAX_PIECE_CHARS = 20_000

function paint(piece: Piece | string, colours: boolean): string {
  const [style, text] = typeof piece === 'string' ? (['plain', piece] as const) : piece
  const safe = printable(text, MAX_PIECE_CHARS)
  return colours && CODES[style] !== '' ? `\u001b[${CODES[style]}m${safe}\u001b[0m` : safe
}
