/** What a command says and how it ends. Text that may come from a file is made printable here, once. */
import { printable, printableJson } from '../base/index.ts'
import { isRepriseError } from '../errors/index.ts'

export const EXIT = { fine: 0, couldNot: 1, finding: 2, usage: 64, reprise: 125 } as const

export type Output = {
  /** One line of text for people, on stdout. */
  line(text: string): void
  /** The one JSON document of `--json`. */
  json(document: unknown): void
  /** Text that is JSON already. */
  raw(text: string): void
  /** A note on stderr: damage that a showing command steps over. */
  note(text: string): void
}

export function createOutput(stdout: NodeJS.WritableStream, stderr: NodeJS.WritableStream): Output {
  return {
    line: (text) => void stdout.write(`${printable(text, 20_000)}\n`),
    json: (document) => void stdout.write(`${printableJson(JSON.stringify(document, bigintToNumber, 2))}\n`),
    raw: (text) => void stdout.write(printableJson(text)),
    note: (text) => void stderr.write(`reprise: ${printable(text)}\n`),
  }
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

function bigintToNumber(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? Number(value) : value
}
