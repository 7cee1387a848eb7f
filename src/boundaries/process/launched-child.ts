/**
 * A launcher starts its own program again as a Node child, with other flags of Node or another environment.
 * The child has all of the launcher's streams, and the launcher only waits for it. Then the child is the
 * program: a recording passes its tape on to it.
 */
import { basename, dirname, join, resolve } from 'node:path'
import { fs } from '../../real/fs.ts'
import { realCwd } from '../../real/process.ts'
import { startedAs } from '../../real/program.ts'
import type { Session } from '../session.ts'
import { sessionField } from '../session-field.ts'

/** What is about to be started. */
export type StartedNode = {
  readonly file: string
  /** With the name of the program in front. */
  readonly args: readonly string[]
  readonly cwd: string | null
  readonly env: Readonly<Record<string, string>>
}

/**
 * Ends the recording of this process. Returns the environment in which the child claims the tape; null if
 * this process keeps it.
 */
export type HandOver = (child: StartedNode) => Readonly<Record<string, string>> | null

const handOvers = sessionField<HandOver>(() => () => null)

/** Set it before the session is used. */
export function useHandOver(session: Session, handOver: HandOver): void {
  handOvers.set(session, handOver)
}

/** The environment for a child that is the program itself; null for any other. */
export function handOverTo(
  session: Session,
  child: StartedNode,
  stdio: readonly unknown[],
): Readonly<Record<string, string>> | null {
  if (!hasOurStreams(stdio) || !startsOurselves(child)) return null
  return handOvers.get(session)(child)
}

/** `['inherit', 0, process.stdin]` in any of Node's forms; a channel may be added. */
function hasOurStreams(stdio: readonly unknown[]): boolean {
  return [0, 1, 2].every((fd) => isOurs(stdio[fd], fd)) && stdio.slice(3).every(isChannelOrNothing)
}

function isOurs(entry: unknown, fd: number): boolean {
  if (entry === 'inherit' || entry === fd) return true
  if (typeof entry !== 'object' || entry === null) return false
  return Reflect.get(entry, 'type') === 'inherit' || Reflect.get(entry, 'fd') === fd
}

function isChannelOrNothing(entry: unknown): boolean {
  return entry === undefined || entry === null || entry === 'ipc' || entry === 'ignore'
}

function startsOurselves({ file, args, cwd }: StartedNode): boolean {
  const [, own, ...words] = startedAs.argv
  if (own === undefined || !isNode(file)) return false
  const script = scriptOf(args.slice(1))
  if (script === null || !isSameCommand(args.slice(args.indexOf(script, 1) + 1), words)) return false
  const [started, ours] = [realPath(resolve(cwd ?? realCwd(), script)), realPath(own)]
  return started !== null && ours !== null && (started === ours || isOfSamePackage(started, ours))
}

/**
 * A launcher passes its own arguments on, and may add options. A program that starts itself with other words
 * (`fork(import.meta.filename, ['worker'])`) goes on after that: the child is a part of it.
 */
function isSameCommand(words: readonly string[], own: readonly string[]): boolean {
  const added = words.length - own.length
  const isAfter = own.every((word, at) => words[at] === word)
  const isBefore = own.every((word, at) => words[added + at] === word)
  if (added === 0) return isAfter
  return added > 0 && ((isAfter && isOption(words[own.length])) || (isBefore && isOption(words[0])))
}

function isOption(word: string | undefined): boolean {
  return word?.startsWith('-') === true
}

/** Whether a file is Node itself. */
export function isNode(file: string): boolean {
  return file === startedAs.execPath || /^node(?:js)?(?:\.exe)?$/.test(basename(file))
}

const WITH_VALUE = /^(?:-r|--require|--import|--loader|--experimental-loader|-C|--conditions|--env-file)$/
const WITHOUT_SCRIPT = /^(?:-e|-p|-pe|-i|-c|--eval|--print|--check|--interactive|--test|--run|-)(?:=|$)/

/** The first word that is neither an option of Node nor its value; null without one. */
function scriptOf(words: readonly string[]): string | null {
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? ''
    if (WITHOUT_SCRIPT.test(word)) return null
    if (!word.startsWith('-')) return word
    if (word === '--') return words[at + 1] ?? null
    if (WITH_VALUE.test(word)) at += 1
  }
  return null
}

const ONLY_PRINTS = /^(?:-v|-h|--version|--help|--v8-options|--completion-bash)$/

/** Whether Node runs a program with these words; the first word is Node's own name. */
export function runsProgram(args: readonly string[]): boolean {
  return !optionsOfNode(args).some((word) => ONLY_PRINTS.test(word))
}

/** The words before the script. */
export function optionsOfNode(args: readonly string[]): readonly string[] {
  const script = scriptOf(args.slice(1))
  return script === null ? args : args.slice(1, args.indexOf(script, 1))
}

function realPath(path: string): string | null {
  try {
    return fs.realpathSync(path)
  } catch {
    // Does not exist: Node will report it.
    return null
  }
}

/**
 * In an installed package any script; in a project only its bins, because its other scripts may be workers.
 */
function isOfSamePackage(started: string, ours: string): boolean {
  const manifest = manifestAbove(ours)
  if (manifest === null || manifest !== manifestAbove(started)) return false
  if (/[/\\]node_modules[/\\]/.test(manifest)) return true
  const { bin } = JSON.parse(fs.readFileSync(manifest, 'utf8'))
  const files: readonly unknown[] = typeof bin === 'string' ? [bin] : Object.values(bin ?? {})
  const paths = files.flatMap((each) =>
    typeof each === 'string' ? [realPath(join(dirname(manifest), each))] : [],
  )
  return paths.includes(started)
}

/** The nearest `package.json` that has a name; null without one. */
function manifestAbove(file: string): string | null {
  for (let folder = dirname(file); ; folder = dirname(folder)) {
    const manifest = join(folder, 'package.json')
    if (fs.existsSync(manifest) && isNamed(manifest)) return manifest
    if (folder === dirname(folder)) return null
  }
}

function isNamed(manifest: string): boolean {
  try {
    return typeof JSON.parse(fs.readFileSync(manifest, 'utf8')).name === 'string'
  } catch {
    // Not JSON: no package.
    return false
  }
}

/**
 * Whether a child is started as this process was: the same flags of Node, arguments and environment. A launcher
 * changes one of them, or its child would start itself again. `env` is that of the start.
 */
export function isStartedAlike(
  { args, env }: Pick<StartedNode, 'args' | 'env'>,
  started: Readonly<Record<string, string | undefined>>,
): boolean {
  const flags = optionsOfNode(args)
  const isSame = (one: readonly string[], other: readonly string[]): boolean =>
    one.length === other.length && one.every((word, at) => word === other[at])
  if (!isSame(flags, startedAs.execArgv)) return false
  if (!isSame(args.slice(flags.length + 2), startedAs.argv.slice(2))) return false
  const names = new Set([...Object.keys(env), ...Object.keys(started)])
  return [...names].every((name) => name.startsWith(CHANNEL) || env[name] === started[name])
}

/** Node adds these for the channel. */
const CHANNEL = 'NODE_CHANNEL_'

/** `NAME=value` pairs as an object. */
export function envOf(pairs: readonly string[]): Record<string, string> {
  const env: Record<string, string> = {}
  for (const pair of pairs) {
    const at = pair.indexOf('=', 1)
    if (at > 0) env[pair.slice(0, at)] = pair.slice(at + 1)
  }
  return env
}

export function pairsOf(env: Readonly<Record<string, string>>): string[] {
  return Object.entries(env).map(([name, value]) => `${name}=${value}`)
}
