/**
 * Decides on the second wall of a replay (Node's permission model): whether the command is the process that
 * claims the tape, and what that process needs. A launcher (npm, `tsx`, a shell) starts other processes, and a
 * debugger needs the inspector: they run without a wall.
 */
import { basename } from 'node:path'
import { versionOfNode } from '../real/ask-node.ts'
import { fs } from '../real/fs.ts'
import { realEnv, realTmpdir } from '../real/process.ts'
import { startedAs } from '../real/program.ts'
import { hasFeature } from '../tape/features.ts'
import type { TapeHeader } from '../tape/index.ts'
import { loaderPackages } from '../testbench/program/loaders.ts'
import { isWrapper } from '../testbench/program/program-facts.ts'
import { hasPermissionModel, type Wall, wallFor } from '../testbench/program/walls.ts'
import { locateProgram } from './native-program.ts'
import { textsInTape } from './texts-in-tape.ts'

export type WalledReplay = {
  readonly tape: string
  readonly header: TapeHeader
  readonly command: readonly string[]
  /** The replay's own files. A name that ends in `*` is a prefix. */
  readonly writes: readonly string[]
  /** Native addons that the user vouches for in this replay. */
  readonly addons: readonly string[]
}

/** Options of Node with which a process runs without a wall: the user has one, or debugs. */
const WITHOUT = /^--(?:permission|permission-audit|experimental-permission|inspect.*)(?:=|$)/
/** Folders that Node itself writes to, because the user's environment names them. */
const NODES_FOLDERS = ['NODE_V8_COVERAGE', 'NODE_COMPILE_CACHE'] as const

/** What a tape has of native addons: notes, and terminals, which need node-pty. */
const ADDON_TEXTS = ['native code was loaded', '"boundary":"terminal"', 'pty.node'] as const
const HOOKS_TEXT = 'hooks on a thread of their own'

export function wallOf({ tape, header, command, writes, addons }: WalledReplay): Wall | null {
  const [program = '', ...args] = command
  const words = [...args, ...(realEnv.NODE_OPTIONS ?? '').split(/\s+/)]
  if (!isNode(program) || args.some(startsWrapper) || words.some((word) => WITHOUT.test(word))) return null
  const node = versionOf(program)
  if (node === null || !hasPermissionModel(node)) return null
  const texts = textsInTape(tape, [HOOKS_TEXT, ...ADDON_TEXTS])
  const isNoted = hasFeature(header, 'notedHooks')
  const vouched = [...addons, ...(header.addons ?? [])]
  return wallFor({
    node,
    writes: [...writes, ...NODES_FOLDERS.flatMap(folderOf)],
    loaders: [...loaderPackages(words, () => [])],
    hooks: !isNoted || words.some(namesLoader) || texts.has(HOOKS_TEXT),
    addons: vouched.length > 0 || ADDON_TEXTS.some((text) => texts.has(text)),
    temp: realTmpdir(),
  })
}

function isNode(program: string): boolean {
  return /^node(?:\.exe)?$/.test(basename(program))
}

function startsWrapper(word: string): boolean {
  if (word.startsWith('-') || !fs.existsSync(word)) return false
  return isWrapper(fs.realpathSync(word))
}

/** Asks only a Node that is not ours. */
function versionOf(program: string): string | null {
  const path = locateProgram(program)
  if (path !== null && fs.realpathSync(path) === fs.realpathSync(startedAs.execPath)) return startedAs.version
  return versionOfNode(program)
}

function namesLoader(word: string): boolean {
  return /^--(?:experimental-)?loader(?:=|$)/.test(word)
}

function folderOf(name: (typeof NODES_FOLDERS)[number]): string[] {
  const folder = realEnv[name]
  return folder === undefined || folder === '' ? [] : [`${folder}*`]
}
