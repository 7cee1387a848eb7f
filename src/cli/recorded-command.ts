/**
 * The command that a tape names, if it may be run: the one place where that is decided, for `replay`,
 * `fidelity --against` and what is built on them.
 *
 * A tape is hostile input: it does not choose what is executed. Without a word of the user's, only a script
 * that is a file at the recorded path runs, with options of Node that load no code and write no file. Inline
 * source, code in a URL, and options that load code need `--trust`, or a seal that was signed with a key that
 * the user has. A module loader that is installed (`tsx`) counts as an option that loads no code.
 */
import { isAbsolute, join } from 'node:path'
import { RepriseError } from '../errors/index.ts'
import { versionOfNode } from '../real/ask-node.ts'
import { fs } from '../real/fs.ts'
import { realCwd } from '../real/process.ts'
import { startedAs } from '../real/program.ts'
import { damageIn } from '../tape/findings.ts'
import type { TapeHeader } from '../tape/index.ts'
import { verifyTape } from '../tape/verify.ts'
import { isEvaluated, isWrapper } from '../testbench/program/program-facts.ts'
import { untrustedOptions } from './node-arguments.ts'

/** What the user says about the tape. */
export type Trust = {
  /** `--trust`: the user vouches for the tape. */
  readonly trusted?: boolean
  /** `--key`: the public key (PEM) that must have signed the seal. */
  readonly publicKey?: string
}

export async function recordedCommand(header: TapeHeader, tape: string, trust: Trust): Promise<string[]> {
  const { program, command, node: version } = header
  const isInline = program !== undefined && isEvaluated(program.execArgs)
  if (program === undefined || (!isInline && (program.script === '' || program.script === '-'))) {
    throw new RepriseError('replay-no-program', 'the tape does not say what to run', {
      hint: 'give the command: reprise replay <tape> -- node agent.mjs',
    })
  }
  const reasons = reasonsAgainst(program, header.roots?.[0], header.nodeOptions)
  if (reasons.length > 0 && !(await isTrusted(tape, trust))) throw untrusted(program, reasons)
  const node = sameNode(command?.[0], version) ?? startedAs.execPath
  if (isInline)
    return [node, ...program.execArgs, ...(program.args.length === 0 ? [] : ['--', ...program.args])]
  return [node, ...program.execArgs, program.script, ...program.args]
}

/** Whether a replay of the tape needs `--trust`, or a command of its own. */
export function needsTrust({ program, roots, nodeOptions }: TapeHeader): boolean {
  return (
    program !== undefined &&
    program.script !== '-' &&
    hasCommand(program) &&
    reasonsAgainst(program, roots?.[0], nodeOptions).length > 0
  )
}

function hasCommand({ script, execArgs }: Program): boolean {
  return script !== '' || isEvaluated(execArgs)
}

type Program = NonNullable<TapeHeader['program']>

/** Why a command is not run by itself; empty if it may be. */
function reasonsAgainst(program: Program, root: string | undefined, nodeOptions = ''): string[] {
  const words = [...program.execArgs, ...nodeOptions.split(/\s+/).filter((word) => word !== '')]
  const options = untrustedOptions(words, isInstalled(root)).map((option) => `the option ${option} of Node`)
  if (isEvaluated(program.execArgs)) return ['source that is on the tape', ...options]
  const script = isAbsolute(program.script) ? program.script : join(folderOf(root), program.script)
  if (!isFile(script)) return [`the script ${program.script}, which is no file here`, ...options]
  return isWrapper(fs.realpathSync(script)) ? [`the launcher ${program.script}`, ...options] : options
}

async function isTrusted(tape: string, { trusted, publicKey }: Trust): Promise<boolean> {
  if (trusted === true) return true
  if (publicKey === undefined) return false
  const [wrong] = damageIn((await verifyTape(tape, { publicKey })).findings)
  if (wrong === undefined) return true
  throw new RepriseError('replay-untrusted', `${tape} is not trusted: ${wrong.message}`, {
    details: { path: tape },
    hint: 'check the key of --key',
  })
}

function untrusted(program: Program, reasons: readonly string[]): RepriseError {
  const words = [
    'node',
    ...program.execArgs,
    ...(program.script === '' ? [] : [program.script]),
    ...program.args,
  ]
  const shown = words.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : JSON.stringify(word))).join(' ')
  const command = shown.length > MAX_SHOWN ? `${shown.slice(0, MAX_SHOWN)}…` : shown
  return new RepriseError(
    'replay-untrusted',
    `the tape names a command that is not run unasked: ${command}`,
    {
      details: { reasons: [...reasons] },
      hint: `because of ${reasons.join(' and ')}: give --trust if the tape is yours, --key <public key> if it is signed, or a command after --`,
    },
  )
}

const MAX_SHOWN = 400

/** Whether a loader that the tape names is a file below `node_modules` of the program. */
function isInstalled(root: string | undefined): (file: string) => boolean {
  return (file) => isFile(isAbsolute(file) ? file : join(folderOf(root), file))
}

function folderOf(root: string | undefined): string {
  return root !== undefined && fs.existsSync(root) ? root : realCwd()
}

function isFile(path: string): boolean {
  return fs.statSync(path, { throwIfNoEntry: false })?.isFile() === true
}

/** The Node that the command named, if it is of the recorded version and ours is not. */
function sameNode(named: string | undefined, version: string | undefined): string | null {
  if (
    named === undefined ||
    version === undefined ||
    version === startedAs.version ||
    !/(?:^|[/\\])node(?:\.exe)?$/.test(named)
  )
    return null
  return versionOfNode(named) === version ? named : null
}
