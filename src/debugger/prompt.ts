/** The commands of `reprise debug`, read line by line. */
import type { Stop } from './debugged-program.ts'

export type PromptCommand =
  | { readonly type: 'where' | 'next-record' | 'back' | 'continue' | 'quit' | 'help' }
  | { readonly type: 'goto'; readonly seq: number }
  | { readonly type: 'unknown'; readonly text: string }

export const PROMPT_HELP = [
  'where          show the record and the stack',
  'next-record    run to the next record',
  'goto SEQ       run to a record; an earlier one starts a fresh replay',
  'back           a fresh replay to the record before',
  'continue       run to the end, or to the next breakpoint',
  'quit           end the program and the debugger',
]

const SHORT: Readonly<Record<string, string>> = {
  w: 'where',
  n: 'next-record',
  b: 'back',
  c: 'continue',
  q: 'quit',
}

export function readCommand(line: string): PromptCommand {
  const [first = '', second = ''] = line.trim().split(/\s+/)
  const word = SHORT[first] ?? first
  switch (word) {
    case 'where':
    case 'next-record':
    case 'back':
    case 'continue':
    case 'quit':
    case 'help':
      return { type: word }
    case 'goto':
      return /^\d{1,15}$/.test(second)
        ? { type: 'goto', seq: Number(second) }
        : { type: 'unknown', text: 'goto takes the number of a record' }
    default:
      return { type: 'unknown', text: `${JSON.stringify(word)} is not a command; try help` }
  }
}

/** The stack as lines, the user's frames marked. */
export function stackLines({ frames }: Stop): string[] {
  return frames.map(({ functionName, url, line, column, isUser }) => {
    const name = functionName === '' ? '(anonymous)' : functionName
    return `${isUser ? '  ' : '    '}at ${name} (${url}:${line + 1}:${column + 1})`
  })
}
