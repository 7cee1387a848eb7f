/**
 * Where a recorded program runs again, and what its header names there: the one place where the paths of a
 * header are resolved for a command.
 *
 * The folder is the one that has the recorded script: the working directory if the tape is in it, so that a
 * second checkout replays its own program; else the recorded root.
 *
 * A replay treats the folder in which it runs as the recorded root. If that root is gone, and the script was
 * outside it, a folder that contains the script would give the script a name that it did not have: such a
 * program is replayed in another folder.
 */
import { dirname, isAbsolute, join, relative, resolve } from 'node:path'
import { fs } from '../real/fs.ts'
import { realCwd, realHomedir, realTmpdir } from '../real/process.ts'
import { sealOf } from '../tape/children-folder.ts'
import type { TapeHeader } from '../tape/index.ts'
import { readHeader } from '../tape/reader.ts'
import { eitherPlaces, type NamedPlaces, recordedPlaces, resolveHeader } from '../tape/root-names.ts'
import { isEvaluated } from '../testbench/program/program-facts.ts'

export type RecordedProgram = {
  /** The header, with paths of this machine. Arguments of the program are as recorded. */
  readonly header: TapeHeader
  /** Where the program belongs: where it is recorded again, and where its changes are applied. */
  readonly folder: string
  /** Where it is replayed. Mostly `folder`. */
  readonly replayFolder: string
  /** What the names of the header meant when it was recorded. */
  readonly recorded: NamedPlaces
}

/** `moved` gives the folder of this machine for a recorded one: for the tapes of children. */
export function recordedProgram(
  tape: string,
  moved: (folder: string) => string = (folder) => folder,
): RecordedProgram {
  const header = readHeader(tape)
  const recorded = recordedPlaces(header, sealOf(tape))
  const folder = programFolder(tape, header, recorded.root === null ? null : moved(recorded.root))
  const here = { root: folder, home: realHomedir(), temp: realTmpdir() }
  const local = resolveHeader(header, here)
  const exact = resolveHeader(header, eitherPlaces(recorded, here))
  return {
    header: withRecordedArguments(local, exact),
    folder,
    replayFolder: isOutside(exact, recorded.root) ? folderWithout(scriptOf(local), folder, tape) : folder,
    recorded,
  }
}

/** The program may send its arguments on: it gets those of the recording. So does source on the command line. */
function withRecordedArguments(local: TapeHeader, exact: TapeHeader): TapeHeader {
  if (local.program === undefined || exact.program === undefined) return local
  const { execArgs } = isEvaluated(exact.program.execArgs) ? exact.program : local.program
  return { ...local, program: { ...local.program, execArgs, args: exact.program.args } }
}

function programFolder(tape: string, { program }: TapeHeader, root: string | null): string {
  const here = realCwd()
  const recorded = root !== null && fs.existsSync(root) ? root : null
  const { script = '' } = program ?? {}
  if (recorded === null || script === '' || script.startsWith('$') || isAbsolute(script))
    return recorded ?? here
  const isOurs = !relative(here, resolve(tape)).startsWith('..')
  const folders = isOurs ? [here, recorded] : [recorded, here]
  return folders.find((folder) => isFile(join(folder, script))) ?? recorded
}

/** Whether the script was outside the recorded root. */
function isOutside(header: TapeHeader, root: string | null): boolean {
  const script = scriptOf(header)
  return root !== null && isAbsolute(script) && !isBelow(script, root)
}

/** `folder`, or the first other one that does not contain the script. */
function folderWithout(script: string, folder: string, tape: string): string {
  return [folder, resolve(dirname(tape)), realTmpdir()].find((place) => !isBelow(script, place)) ?? '/'
}

function scriptOf({ program }: TapeHeader): string {
  return program?.script ?? ''
}

function isBelow(path: string, folder: string): boolean {
  return path.startsWith(folder.endsWith('/') ? folder : `${folder}/`)
}

function isFile(path: string): boolean {
  return fs.statSync(path, { throwIfNoEntry: false })?.isFile() === true
}
