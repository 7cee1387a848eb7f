/**
 * The command that a tape names, if it may be run: the one place where that is decided, for `replay`,
 * `fidelity --against` and what is built on them.
 *
 * A tape is hostile input: it does not choose what is executed. Without an option of the user, only a script
 * that is a file at the recorded path runs, with options of Node that load no code and write no file. Inline
 * source, code in a URL, and options that load code need `--trust`, or a seal that was signed with a key that
 * the user has. A module loader that is installed (`tsx`) counts as an option that loads no code.
 */
import { dirname, isAbsolute, join, resolve } from 'node:path'
import { RepriseError } from '../errors/index.ts'
import { versionOfNode } from '../real/ask-node.ts'
import { fs } from '../real/fs.ts'
import { realProcess, startedAs } from '../real/program.ts'
import { damageIn } from '../tape/findings.ts'
import type { TapeHeader } from '../tape/index.ts'
import { verifyTape } from '../tape/verify.ts'
import { isEvaluated, isWrapper } from '../testbench/program/program-facts.ts'
import { untrustedOptions } from './node-arguments.ts'
import type { RecordedProgram } from './program-folder.ts'

/** Why the tape may be trusted. */
export type Trust = {
  /** `--trust`: the user vouches for the tape. */
  readonly trusted?: boolean
  /** `--key`: the public key (PEM) that must have signed the seal. */
  readonly publicKey?: string
}

/** Run it in the folder of the program. */
export async function recordedCommand(
  { header, folder }: RecordedProgram,
  tape: string,
  trust: Trust,
): Promise<string[]> {
  const { program, command, node: version } = header
  const isInline = program !== undefined && isEvaluated(program.execArgs)
  if (program === undefined || (!isInline && (program.script === '' || program.script === '-'))) {
    throw new RepriseError('replay-no-program', 'the tape does not name a program', {
      hint: 'give the command: reprise replay <tape> -- node agent.mjs',
    })
  }
  const reasons = reasonsAgainst(program, folder, header.nodeOptions)
  const isNodeOfUser = isInstalledNode(command?.[0], [folder, dirname(tape)])
  const needsTrust = reasons.length > 0 || !isNodeOfUser
  const isVouchedFor = needsTrust && (await isTrusted(tape, trust))
  if (reasons.length > 0 && !isVouchedFor) throw untrusted(program, reasons)
  const named = isNodeOfUser || isVouchedFor ? command?.[0] : undefined
  const node = sameNode(named, version) ?? startedAs.execPath
  if (isInline)
    return [node, ...program.execArgs, ...(program.args.length === 0 ? [] : ['--', ...program.args])]
  return [node, ...program.execArgs, program.script, ...program.args]
}

/** Whether a replay of the tape needs `--trust`, or a command of its own. */
export function needsTrust({ header, folder }: RecordedProgram): boolean {
  const { program, nodeOptions } = header
  return (
    program !== undefined &&
    program.script !== '-' &&
    hasCommand(program) &&
    reasonsAgainst(program, folder, nodeOptions).length > 0
  )
}

function hasCommand({ script, execArgs }: Program): boolean {
  return script !== '' || isEvaluated(execArgs)
}

type Program = NonNullable<TapeHeader['program']>

/** Why a command is not run without `--trust`; empty if it may be. */
function reasonsAgainst(program: Program, folder: string, nodeOptions = ''): string[] {
  const words = [...program.execArgs, ...nodeOptions.split(/\s+/).filter((word) => word !== '')]
  const options = untrustedOptions(words, isInstalled(folder)).map((option) => `the option ${option} of Node`)
  if (isEvaluated(program.execArgs)) return ['source that is on the tape', ...options]
  const script = isAbsolute(program.script) ? program.script : join(folder, program.script)
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
    `the tape names a command that needs your consent: ${command}`,
    {
      details: { reasons: [...reasons] },
      hint: `because of ${reasons.join(' and ')}: give --trust if the tape is yours, --key <public key> if it is signed, or a command after --`,
    },
  )
}

const MAX_SHOWN = 400

/** Whether a loader that the tape names is a file below `node_modules` of the program. */
function isInstalled(folder: string): (file: string) => boolean {
  return (file) => isFile(isAbsolute(file) ? file : join(folder, file))
}

function isFile(path: string): boolean {
  return fs.statSync(path, { throwIfNoEntry: false })?.isFile() === true
}

/**
 * Whether the Node that the tape names is one of this machine: the one of the `PATH`, or a file of the user
 * (or of root) elsewhere than where files come together with a tape. Reading its version means executing it.
 */
function isInstalledNode(named: string | undefined, near: readonly string[]): boolean {
  if (named === undefined || named === 'node') return true
  const file = isAbsolute(named) && isFile(named) ? fs.realpathSync(named) : null
  return (
    file !== null &&
    isOfUser(file) &&
    [...near, realProcess.cwd()].every((folder) => !isInside(file, realPathOf(folder)))
  )
}

/** No other user can have put it there: a shared folder such as `/tmp` has files of others. */
function isOfUser(file: string): boolean {
  const { uid, mode } = fs.statSync(file)
  return [0, realProcess.getuid?.() ?? uid].includes(uid) && (mode & 0o022) === 0
}

function isInside(file: string, folder: string): boolean {
  return file.startsWith(folder.endsWith('/') ? folder : `${folder}/`)
}

function realPathOf(folder: string): string {
  try {
    return fs.realpathSync(resolve(folder))
  } catch {
    // A folder that is not there has no files.
    return resolve(folder)
  }
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
