/**
 * Text for a terminal: colours if it is one and NO_COLOR is not set, a pager if it is one and the text may be
 * long. What comes from a tape is made printable here, piece by piece, so that only our own colours act.
 */
import { printable } from '../../base/index.ts'

export type Style =
  | 'plain'
  | 'strong'
  | 'dim'
  | 'error'
  | 'warning'
  | 'llm'
  | 'mcp'
  | 'network'
  | 'files'
  | 'processes'
  | 'terminal'
  | 'other'

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

/**
 * Text is written in pieces of this size, each taken by the reader before the next: a slow reader costs no
 * memory.
 */
const WRITE_CHARS = 64 * 1024

export async function openScreen(): Promise<Screen> {
  const { stdoutIsTerminal, writeStdout } = await import('../../real/terminal-io.ts')
  const { realEnv } = await import('../../real/process.ts')
  const isTerminal = stdoutIsTerminal()
  const colours = isTerminal && (realEnv.NO_COLOR ?? '') === ''
  const pager = isTerminal ? await (await import('../../real/pager.ts')).openPager() : null
  let waiting = ''
  const flush = async (): Promise<void> => {
    const text = waiting
    waiting = ''
    if (text === '') return
    if (pager === null) await writeStdout(Buffer.from(text))
    else await pager.write(text)
  }
  const line: Screen['line'] = async (...pieces) => {
    waiting += `${pieces.map((piece) => paint(piece, colours)).join('')}\n`
    if (waiting.length >= WRITE_CHARS) await flush()
  }
  return {
    line,
    async block(text, style = 'plain') {
      for (const each of text.replace(/\n$/, '').split('\n')) await line('    ', [style, each])
    },
    async close() {
      await flush()
      await pager?.close()
    },
  }
}

const MAX_PIECE_CHARS = 20_000

function paint(piece: Piece | string, colours: boolean): string {
  const [style, text] = typeof piece === 'string' ? (['plain', piece] as const) : piece
  const safe = printable(text, MAX_PIECE_CHARS)
  return colours && CODES[style] !== '' ? `\u001b[${CODES[style]}m${safe}\u001b[0m` : safe
}
