/**
 * A script for a session: one step per line, comments after `#`. Text is the rest of the line, or a JSON
 * string where spaces or escapes matter.
 *
 *     wait TEXT | type TEXT | press KEY | paste TEXT | resize ROWS COLS | quiet MS | signal NAME | exit |
 *     timeout MS
 *
 * Pure: reading only. Running it is script-run.ts.
 */
import { parseJson } from '../../base/index.ts'
import { RepriseError } from '../../errors/index.ts'
import type { Size } from '../codec/records.ts'
import { keyBytes } from './keys.ts'

export type ScriptStep = { readonly line: number } & (
  | { readonly do: 'wait' | 'type' | 'paste'; readonly text: string }
  | { readonly do: 'press'; readonly key: string }
  | { readonly do: 'resize'; readonly size: Size }
  | { readonly do: 'quiet' | 'timeout'; readonly ms: number }
  | { readonly do: 'signal'; readonly signal: NodeJS.Signals }
  | { readonly do: 'exit' }
)

export function readScript(text: string): readonly ScriptStep[] {
  return text.split(/\r?\n/).flatMap((raw, at) => {
    const line = raw.trim()
    return line === '' || line.startsWith('#') ? [] : [readStep(line, at + 1)]
  })
}

function readStep(line: string, at: number): ScriptStep {
  const [, word = '', rest = ''] = /^(\S+)\s*(.*)$/.exec(line) ?? []
  switch (word) {
    case 'wait':
    case 'type':
    case 'paste':
      if (rest === '') throw invalid(at, `"${word}" needs a text`)
      return { line: at, do: word, text: textOf(rest, at) }
    case 'press':
      keyBytes(rest)
      return { line: at, do: 'press', key: rest }
    case 'resize': {
      const [, rows, cols] = /^(\d+)[ x]+(\d+)$/.exec(rest) ?? []
      if (rows === undefined || cols === undefined) throw invalid(at, 'resize needs ROWS COLS')
      return { line: at, do: 'resize', size: { rows: Number(rows), cols: Number(cols) } }
    }
    case 'quiet':
    case 'timeout':
      if (!/^\d+$/.test(rest)) throw invalid(at, `"${word}" needs milliseconds`)
      return { line: at, do: word, ms: Number(rest) }
    case 'signal':
      return { line: at, do: 'signal', signal: signalOf(rest, at) }
    case 'exit':
      return { line: at, do: 'exit' }
    default:
      throw invalid(at, `unknown step "${word}"`)
  }
}

function textOf(rest: string, at: number): string {
  if (!rest.startsWith('"')) return rest
  try {
    const value: unknown = parseJson(rest)
    if (typeof value === 'string') return value
  } catch {
    // Reported below, with the line.
  }
  throw invalid(at, 'a text that begins with a quote is a JSON string')
}

const SIGNALS: readonly NodeJS.Signals[] = [
  'SIGINT',
  'SIGTERM',
  'SIGHUP',
  'SIGQUIT',
  'SIGKILL',
  'SIGTSTP',
  'SIGCONT',
  'SIGUSR1',
  'SIGUSR2',
  'SIGWINCH',
]

function signalOf(name: string, at: number): NodeJS.Signals {
  const wanted = `SIG${name.toUpperCase().replace(/^SIG/, '')}`
  const signal = SIGNALS.find((known) => known === wanted)
  if (signal === undefined) throw invalid(at, `unknown signal "${name}"`)
  return signal
}

function invalid(line: number, reason: string): RepriseError {
  return new RepriseError('cassette-script-invalid', `script line ${line}: ${reason}`, {
    details: { line },
    hint: 'wait TEXT, type TEXT, press KEY, paste TEXT, resize ROWS COLS, quiet MS, signal NAME, exit, timeout MS',
  })
}
