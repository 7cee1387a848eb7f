/**
 * What a command prints and how it ends. Text that may come from a file is made printable here, once. On a
 * terminal the tone of a line is its colour, unless NO_COLOR is set; progress is erased before a line is
 * printed.
 */
import { printable, printableJson } from '../base/index.ts'
import { isRepriseError } from '../errors/index.ts'

export const EXIT = { fine: 0, failed: 1, finding: 2, usage: 64, reprise: 125 } as const

type Tone = 'plain' | 'good' | 'bad' | 'warning' | 'dim'

export type Output = {
  /** One line of text for people, on stdout. */
  line(text: string, tone?: Tone): void
  /** The one JSON document of `--json`. */
  json(document: unknown): void
  /** Text that is JSON already. */
  raw(text: string): void
  /** A note on stderr: damage that a command skips while it shows the rest. */
  note(text: string, tone?: Tone): void
  /** A note that is no finding: on stderr if that is a terminal. */
  remark(text: string): void
}

export type OutputStream = NodeJS.WritableStream & { readonly isTTY?: boolean }

export type OutputOptions = {
  readonly env?: NodeJS.ProcessEnv
  /** Called before a line is printed. */
  readonly beforeLine?: () => void
}

export function createOutput(
  stdout: OutputStream,
  stderr: OutputStream,
  { env = {}, beforeLine = () => undefined }: OutputOptions = {},
): Output {
  const write = (stream: OutputStream, text: string): void => {
    beforeLine()
    stream.write(text)
  }
  const paint = (stream: OutputStream, text: string, tone: Tone): string =>
    hasColours(stream, env) ? coloured(text, tone) : text
  const note: Output['note'] = (text, tone = 'plain') =>
    write(stderr, `${paint(stderr, 'reprise:', 'dim')} ${paint(stderr, printable(text), tone)}\n`)
  return {
    line: (text, tone = 'plain') => write(stdout, `${paint(stdout, printable(text, 20_000), tone)}\n`),
    json: (document) => write(stdout, `${printableJson(JSON.stringify(document, bigintToNumber, 2))}\n`),
    raw: (text) => write(stdout, printableJson(text)),
    note,
    remark(text) {
      if (stderr.isTTY === true) note(text)
    },
  }
}

const CODES: Readonly<Record<Tone, string>> = { plain: '', good: '32', bad: '31', warning: '33', dim: '2' }

function coloured(text: string, tone: Tone): string {
  return CODES[tone] === '' ? text : `\u001b[${CODES[tone]}m${text}\u001b[0m`
}

function hasColours(stream: OutputStream, env: NodeJS.ProcessEnv): boolean {
  return stream.isTTY === true && (env.NO_COLOR ?? '') === '' && env.TERM !== 'dumb'
}

/** One line: what failed, why, the code, a hint. The stack only with --debug. */
export function errorLine(error: unknown, debug: boolean): string {
  const known = isRepriseError(error)
  const message = error instanceof Error ? error.message : String(error)
  const code = known ? error.code : 'internal'
  const hint = known ? error.hint : 'this is a fault in reprise: run again with --debug and report it'
  const line = `reprise: ${printable(message)} [${code}]${hint === null ? '' : `; hint: ${printable(hint)}`}`
  return debug && error instanceof Error ? `${line}\n${error.stack ?? ''}` : line
}

/** An error line whose first words are red on a terminal. */
export function paintError(line: string, stream: OutputStream, env: NodeJS.ProcessEnv): string {
  return hasColours(stream, env) ? line.replace(/^reprise:/, coloured('reprise:', 'bad')) : line
}

function bigintToNumber(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? Number(value) : value
}
