/**
 * Examines this machine for `doctor`: the Node, the table of what is captured, the command, the variables,
 * the folder.
 */
import { fileURLToPath } from 'node:url'
import { coverageRows } from '../../boundaries/coverage.ts'
import { RepriseError } from '../../errors/index.ts'
import { namesOfNode, versionOfNode } from '../../real/ask-node.ts'
import { fs } from '../../real/fs.ts'
import { realCwd, realEnv } from '../../real/process.ts'
import { startedAs } from '../../real/program.ts'
import { findCommand, isSupported, type Machine } from './command-found.ts'
import { type Conflict, optionConflicts } from './node-options.ts'

const HEAD_BYTES = 64 * 1024

export function examine(words: readonly string[]): Examined {
  const command = words.length === 0 ? null : { words, ...findCommand(words, thisMachine()) }
  // The table is held against the Node that would run the program.
  const node = command?.node ?? { path: startedAs.execPath, version: startedAs.version }
  const names = namesOfNode(
    node.path,
    fileURLToPath(new URL('../../real/print-node-names.js', import.meta.url)),
    command?.nodeFlags,
  )
  if (names === null)
    throw new RepriseError('doctor-no-answer', `${node.path} does not report what it has`, {
      hint: 'is it Node 20.19 or newer?',
    })
  const rows = coverageRows().filter(({ place, name }) => names[place]?.includes(name) === true)
  const listed = new Set(rows.map(({ place, name }) => `${place}: ${name}`))
  const unlisted = Object.entries(names).flatMap(([place, all]) =>
    all.map((name) => `${place}: ${name}`).filter((name) => !listed.has(name)),
  )
  const boundaries: Record<string, string[]> = {}
  for (const row of rows)
    if (row.mark === 'captured')
      boundaries[row.boundary] = [...(boundaries[row.boundary] ?? []), `${row.place}: ${row.name}`]
  const conflicts = optionConflicts(realEnv.NODE_OPTIONS ?? '', realEnv.REPRISE_MODE)
  const folder = { path: realCwd(), writable: isWritable(realCwd()) }
  const supported = isSupported(node.version)
  return {
    ok:
      supported &&
      unlisted.length === 0 &&
      conflicts.length === 0 &&
      folder.writable &&
      (command?.problems.length ?? 0) === 0,
    node: { ...node, supported },
    boundaries,
    not_captured: rows.flatMap((row) =>
      row.mark === 'not captured' ? [{ place: row.place, name: row.name, why: row.why }] : [],
    ),
    refused: rows.flatMap((row) => (row.mark === 'refused' ? [`${row.place}: ${row.name}`] : [])),
    unlisted,
    command,
    node_options: conflicts,
    folder,
  }
}

export type Examined = {
  readonly ok: boolean
  readonly node: { readonly path: string; readonly version: string; readonly supported: boolean }
  readonly boundaries: Readonly<Record<string, readonly string[]>>
  readonly not_captured: readonly { readonly place: string; readonly name: string; readonly why: string }[]
  /** What a replay refuses, for some arguments or for all. */
  readonly refused: readonly string[]
  /** Names of this Node that the table does not have; a replay refuses them too. */
  readonly unlisted: readonly string[]
  readonly command: (ReturnType<typeof findCommand> & { readonly words: readonly string[] }) | null
  readonly node_options: readonly Conflict[]
  readonly folder: { readonly path: string; readonly writable: boolean }
}

function thisMachine(): Machine {
  return {
    cwd: realCwd(),
    path: realEnv.PATH ?? '',
    read: readHead,
    isProgram: (file) => isProgram(file),
    realPath: (file) => fs.realpathSync(file),
    nodeVersion: versionOfNode,
  }
}

function readHead(file: string): string | null {
  if (fs.statSync(file, { throwIfNoEntry: false })?.isFile() !== true) return null
  const descriptor = fs.openSync(file, 'r')
  try {
    const bytes = Buffer.alloc(HEAD_BYTES)
    return bytes.subarray(0, fs.readSync(descriptor, bytes)).toString('latin1')
  } finally {
    fs.closeSync(descriptor)
  }
}

function isProgram(file: string): boolean {
  return (
    fs.statSync(file, { throwIfNoEntry: false })?.isFile() === true && isAccessible(file, fs.constants.X_OK)
  )
}

function isWritable(folder: string): boolean {
  return isAccessible(folder, fs.constants.W_OK)
}

function isAccessible(path: string, mode: number): boolean {
  try {
    fs.accessSync(path, mode)
    return true
  } catch {
    // The answer is no, whatever the reason.
    return false
  }
}
