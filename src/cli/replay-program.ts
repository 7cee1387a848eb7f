/**
 * Runs a recorded program from its tape and gives the report: what `replay` and `fidelity --against` share.
 */
import { RepriseError } from '../errors/index.ts'
import { fs } from '../real/fs.ts'
import { realTmpdir } from '../real/process.ts'
import type { ReplayMode, ReplayReport } from '../testbench/index.ts'
import type { DebugSettings } from '../testbench/program/debug-watch.ts'
import { readResult } from '../testbench/program/replay-result.ts'
import type { TravelReport, TravelSettings } from '../testbench/program/travel-settings.ts'
import { recordedProgram } from './program-folder.ts'
import { recordedCommand, type Trust } from './recorded-command.ts'
import { wallOf } from './replay-wall.ts'
import { type ProgramEnd, type ProgramRun, runProgram } from './run-program.ts'

export type ReplayRequest = {
  readonly tape: string
  /** Empty for the program that the tape names. */
  readonly command: readonly string[]
  /** Why a tape that names the command may be trusted. */
  readonly trust?: Trust
  /** The folder of this machine for a recorded one: for the tapes of children. */
  readonly moved?: (folder: string) => string
  /** Native addons that the user vouches for. */
  readonly addons?: readonly string[]
  /** Whether Node's permission model may be used as a second wall. */
  readonly wall?: boolean
  readonly mode: ReplayMode
  readonly speed: number
  readonly strict?: boolean
  readonly debug?: boolean
  readonly emit?: string
  /** Whether the diff of what the program changes is wanted. */
  readonly diff?: boolean
  /** Where the program's output goes. */
  readonly stdout?: ProgramRun['stdout']
  readonly stdin?: ProgramRun['stdin']
  /** Present in `reprise what-if` and `reprise fork`. */
  readonly travel?: TravelSettings
  /** Present in `reprise debug`. */
  readonly debugger?: DebugSettings
  /** Starts the program; `runProgram` by default. */
  readonly run?: (program: ProgramRun) => Promise<ProgramEnd>
}

export type Replayed = {
  readonly end: ProgramEnd
  readonly report: ReplayReport
  /** Of a run that left its tape on purpose. */
  readonly travel: TravelReport | null
  readonly diff: { readonly patch: string; readonly failed: readonly string[] } | null
}

export async function replayProgram(request: ReplayRequest): Promise<Replayed> {
  const recorded = recordedProgram(request.tape, request.moved)
  const { header } = recorded
  const named = request.command.length > 0
  const command = named ? request.command : await recordedCommand(recorded, request.tape, request.trust ?? {})
  const folder = fs.mkdtempSync(`${realTmpdir()}/reprise-replay-`)
  const result = `${folder}/result.json`
  const diff = `${folder}/diff.json`
  try {
    const wall =
      request.wall === true && request.debugger === undefined
        ? wallOf({
            tape: request.tape,
            header,
            command,
            writes: [`${folder}/*`, ...(request.emit === undefined ? [] : [`${request.emit}*`])],
            addons: request.addons ?? [],
          })
        : null
    const end = await (request.run ?? runProgram)({
      command,
      mode: 'replay',
      tape: request.tape,
      settings: {
        result,
        mode: request.mode,
        speed: request.speed,
        strict: request.strict === true,
        debug: request.debug === true,
        ...(request.emit === undefined ? {} : { emit: request.emit }),
        ...(request.diff === true ? { diff } : {}),
        addons: request.addons ?? [],
        ...(request.travel === undefined ? {} : { travel: request.travel }),
        ...(wall === null ? {} : { walls: wall.walls }),
        ...(request.debugger === undefined ? {} : { debugger: request.debugger }),
      },
      ...(wall === null ? {} : { wallOptions: wall.options }),
      cwd: recorded.replayFolder,
      // `process.argv0` and `process.title` have the name by which Node was found.
      ...(!named && header.command?.[0] === 'node' ? { argv0: 'node' } : {}),
      ...(request.stdout === undefined ? {} : { stdout: request.stdout }),
      ...(request.stdin === undefined ? {} : { stdin: request.stdin }),
      ...(named || header.nodeOptions === undefined ? {} : { nodeOptions: header.nodeOptions }),
      ...(header.timeZone === undefined ? {} : { env: { TZ: header.timeZone } }),
    })
    const read = readResult(result)
    if (read === null) {
      throw new RepriseError('replay-no-verdict', 'the replay ended without a verdict', {
        hint: 'was it killed? did a Node program run at all?',
      })
    }
    const { report, travel } = read
    return {
      end,
      report,
      travel,
      diff: fs.existsSync(diff) ? JSON.parse(fs.readFileSync(diff, 'utf8')) : null,
    }
  } finally {
    removeFolder(folder, [result, diff])
  }
}

/** Of the usual files by name: a recursive removal loads modules of Node, which takes 2 ms. */
function removeFolder(folder: string, usual: readonly string[]): void {
  try {
    for (const file of usual) if (fs.existsSync(file)) fs.unlinkSync(file)
    fs.rmdirSync(folder)
  } catch {
    // It has other files, or is gone.
    fs.rmSync(folder, { recursive: true, force: true })
  }
}
