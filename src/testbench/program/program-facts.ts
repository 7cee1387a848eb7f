/**
 * What was started: Node's own arguments, the script and its arguments; and whether it is only a wrapper that
 * will start the real program.
 */
import { isAbsolute, relative, sep } from 'node:path'
import type { TapeHeader } from '../../tape/index.ts'

export type StartedAs = { readonly argv: readonly string[]; readonly execArgv: readonly string[] }

const EVAL = /^(?:-e|-p|-pe|--eval|--print)(?:=|$)/

/** `node -e …`: the source is among Node's own arguments, and there is no script. */
export function isEvaluated(execArgs: readonly string[]): boolean {
  return execArgs.some((word) => EVAL.test(word))
}

/**
 * The script is stored relative if it is below the working directory, so that a tape moves between machines.
 */
export function programOf(started: StartedAs, cwd: string): NonNullable<TapeHeader['program']> {
  const execArgs = withoutRegister(started.execArgv)
  if (isEvaluated(execArgs)) return { execArgs, script: '', args: started.argv.slice(1) }
  const script = started.argv[1] ?? ''
  return { execArgs, script: insideOf(script, cwd), args: started.argv.slice(2) }
}

function insideOf(path: string, cwd: string): string {
  const inside = relative(cwd, path)
  return path === '' ||
    inside === '' ||
    inside.startsWith(`..${sep}`) ||
    inside === '..' ||
    isAbsolute(inside)
    ? path
    : inside
}

/** `--import .../register.js` is ours and not the program's. */
function withoutRegister(execArgv: readonly string[]): string[] {
  const kept: string[] = []
  for (let at = 0; at < execArgv.length; at += 1) {
    const word = execArgv[at] ?? ''
    const value =
      word === '--import' ? (execArgv[at + 1] ?? '') : word.startsWith('--import=') ? word.slice(9) : ''
    if (isRegister(value)) at += word === '--import' ? 1 : 0
    else kept.push(word)
  }
  return kept
}

function isRegister(value: string): boolean {
  return value === 'reprise/register' || /\/entry\/register\.js$/.test(value)
}

const WRAPPERS = [
  /[/\\]npm[/\\](?:bin|lib)[/\\].*\.(?:js|cjs)$/,
  /[/\\](?:pnpm|yarn|corepack)[/\\](?:bin|dist|lib)[/\\].*\.(?:js|cjs|mjs)$/,
  /[/\\]tsx[/\\]dist[/\\]cli\.(?:mjs|cjs)$/,
]

/** True for a command of Reprise itself: a script in the package of which this code is part. */
export function isReprise(script: string): boolean {
  const here = import.meta.url.replace(/^file:\/\//, '')
  return script.endsWith('/bin/reprise.js') && here.startsWith(script.slice(0, -'bin/reprise.js'.length))
}

/**
 * True for a program that only starts another one: npm, npx, pnpm, yarn, tsx's launcher. `script` is its real
 * path.
 */
export function isWrapper(script: string): boolean {
  return WRAPPERS.some((pattern) => pattern.test(script))
}
