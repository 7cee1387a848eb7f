/** Runs a recorded program from its tape and gives the report: what `replay` and `fidelity --against` share. */
import { RepriseError } from '../errors/index.ts'
import { versionOfNode } from '../real/ask-node.ts'
import { fs } from '../real/fs.ts'
import { realTmpdir } from '../real/process.ts'
import { startedAs } from '../real/program.ts'
import type { TapeHeader } from '../tape/index.ts'
import { readHeader } from '../tape/reader.ts'
import type { ReplayMode, ReplayReport } from '../testbench/index.ts'
import { isEvaluated } from '../testbench/program/program-facts.ts'
import { judgeReplay } from '../testbench/verdict/judge.ts'
import { onWholeTape, refuseWithoutPayloads } from '../testbench/verdict/whole-tape.ts'
import { type ProgramEnd, runProgram } from './run-program.ts'

export type ReplayRequest = {
  readonly tape: string
  /** Empty for the program that the tape names. */
  readonly command: readonly string[]
  readonly mode: ReplayMode
  readonly speed: number
  readonly strict?: boolean
  readonly debug?: boolean
  readonly emit?: string
  /** Whether the diff of what the program changes is wanted. */
  readonly diff?: boolean
  /** Where the program's stdout goes. */
  readonly stdout?: 'inherit' | 'stderr'
}

export type Replayed = {
  readonly end: ProgramEnd
  readonly report: ReplayReport
  readonly diff: { readonly patch: string; readonly failed: readonly string[] } | null
}

export async function replayProgram(request: ReplayRequest): Promise<Replayed> {
  const header = readHeader(request.tape)
  refuseWithoutPayloads(request.tape)
  const command = request.command.length > 0 ? request.command : recordedCommand(header)
  const root = header.roots?.[0]
  const folder = fs.mkdtempSync(`${realTmpdir()}/reprise-replay-`)
  const facts = `${folder}/facts.json`
  const diff = `${folder}/diff.json`
  const emit = request.emit ?? `${folder}/run.tape`
  try {
    const end = await runProgram({
      command,
      mode: 'replay',
      tape: request.tape,
      settings: {
        facts,
        mode: request.mode,
        speed: request.speed,
        strict: request.strict === true,
        debug: request.debug === true,
        emit,
        ...(request.diff === true ? { diff } : {}),
      },
      ...(root !== undefined && fs.existsSync(root) ? { cwd: root } : {}),
      ...(request.stdout === undefined ? {} : { stdout: request.stdout }),
      ...(header.timeZone === undefined ? {} : { env: { TZ: header.timeZone } }),
    })
    if (!fs.existsSync(facts)) {
      throw new RepriseError('replay-no-verdict', 'the replay ended without a verdict', { hint: 'was it killed? did a Node program run at all?' })
    }
    const read = (file: string) => JSON.parse(fs.readFileSync(file, 'utf8'))
    const judged = judgeReplay(read(facts), request.tape, emit, { mode: request.mode })
    return { end, report: await onWholeTape(judged, request.tape), diff: fs.existsSync(diff) ? read(diff) : null }
  } finally {
    fs.rmSync(folder, { recursive: true, force: true })
  }
}

/** The Node that the command named, if it is of the recorded version and ours is not. */
function sameNode(named: string | undefined, version: string | undefined): string | null {
  if (named === undefined || version === undefined || version === startedAs.version || !/(?:^|[/\\])node(?:\.exe)?$/.test(named)) return null
  return versionOfNode(named) === version ? named : null
}

function recordedCommand({ program, command, node: version }: TapeHeader): string[] {
  const node = sameNode(command?.[0], version) ?? startedAs.execPath
  if (program !== undefined && isEvaluated(program.execArgs)) {
    return [node, ...program.execArgs, ...(program.args.length === 0 ? [] : ['--', ...program.args])]
  }
  if (program === undefined || program.script === '' || program.script === '-') {
    throw new RepriseError('replay-no-program', 'the tape does not say what to run', {
      hint: 'give the command: reprise replay <tape> -- node agent.mjs',
    })
  }
  return [node, ...program.execArgs, program.script, ...program.args]
}
