/**
 * What the `state` commands share: their options, opening and closing the session, where a value comes from,
 * and the exit code of a conflict.
 *
 * Conflicts and compare-and-swap failures are findings (2), with both writers in the message; a missing
 * session or key could not be (1).
 */
import { RepriseError } from '../../errors/index.ts'
import { readStdin, realEnv, stdinIsTerminal } from '../../real/process.ts'
import type { StateHandle, StateOptions } from '../../state/index.ts'
import { type CommandInput, type CommandOption, flagOption, jsonOption, textOption } from '../command.ts'
import { EXIT } from '../output.ts'

export const rootOption: CommandOption = {
  flags: '--root <place>',
  help: 'a folder, memory:, sqlite:FILE or postgres://… (default: REPRISE_STATE)',
}
const sessionOption: CommandOption = {
  flags: '--session <id>',
  help: 'the session (default: what REPRISE_STATE has after a #)',
}
export const writerOptions: readonly CommandOption[] = [
  { flags: '--writer <id>', help: 'who writes; the session id unless given' },
  { flags: '--conflict <policy>', help: 'ignore, warn or error when someone else wrote the key' },
  { flags: '--if-version <version>', help: 'write only over this version; none: only a new key' },
]
export const sessionOptions: readonly CommandOption[] = [
  rootOption,
  sessionOption,
  ...writerOptions,
  jsonOption,
]

/** Opens the session, runs the work, closes it, and turns a conflict into exit code 2. */
export function inSession(input: CommandInput, work: (state: StateHandle) => Promise<void>): Promise<number> {
  return judged(input, async () => {
    const { resumeState } = await import('../../state/index.ts')
    await using state = await resumeState(rootOf(input), requiredSession(input), stateOptions(input))
    await work(state)
  })
}

/** `--root`, else `REPRISE_STATE` up to its last `#`. */
export function rootOf(input: CommandInput): string {
  const root = textOption(input, 'root') ?? fromEnvironment().root
  if (root !== undefined && root !== '') return root
  throw new RepriseError('usage', "required option '--root <place>' not specified", {
    hint: 'pass --root, or set REPRISE_STATE to the root: ./state, or ./state#session',
  })
}

/** `--session`, else what `REPRISE_STATE` has after its last `#`. */
export function sessionOf(input: CommandInput): string | undefined {
  return textOption(input, 'session') ?? (fromEnvironment().session || undefined)
}

function requiredSession(input: CommandInput): string {
  const session = sessionOf(input)
  if (session !== undefined) return session
  throw new RepriseError('usage', "required option '--session <id>' not specified", {
    hint: 'pass --session, or set REPRISE_STATE to root and session: ./state#session',
  })
}

function fromEnvironment(): { readonly root?: string; readonly session?: string } {
  const place = realEnv.REPRISE_STATE ?? ''
  const at = place.lastIndexOf('#')
  return at < 0 ? { root: place } : { root: place.slice(0, at), session: place.slice(at + 1) }
}

export async function judged(input: CommandInput, work: () => Promise<void>): Promise<number> {
  try {
    await work()
    return EXIT.fine
  } catch (error) {
    if (!(error instanceof RepriseError)) throw error
    if (error.code === 'state-policy-unknown' || error.code === 'state-url')
      throw new RepriseError('usage', error.message, { ...hintOf(error), cause: error })
    if (error.code !== 'state-conflict' && error.code !== 'state-version-mismatch') throw error
    input.output.note(`${error.message} [${error.code}]; hint: ${error.hint}`)
    if (flagOption(input, 'json')) input.output.json({ conflict: await conflictDocument(error) })
    return EXIT.finding
  }
}

/** Both writers in their wire form, whichever of the two errors it is. */
async function conflictDocument({
  code,
  message,
  details,
}: RepriseError): Promise<Readonly<Record<string, unknown>>> {
  const { writerDocument } = await import('../../state/writer.ts')
  const { previous, current, ...rest } = details
  return { code, message, ...rest, previous: writerDocument(previous), current: writerDocument(current) }
}

export function stateOptions(input: CommandInput): StateOptions {
  return {
    writerId: textOption(input, 'writer'),
    conflictPolicy: textOption(input, 'conflict'),
    onConflict: (conflict) => input.output.note(conflict.message),
  }
}

export function ifVersion(input: CommandInput): string | null | undefined {
  const version = textOption(input, 'ifVersion')
  return version === 'none' ? null : version
}

/** From the argument, `--file`, or stdin; null if nothing was given and stdin is a terminal. */
export async function valueFrom(
  input: CommandInput,
  argument: string | undefined,
): Promise<string | Uint8Array | null> {
  const file = textOption(input, 'file')
  if (argument !== undefined && file !== undefined) {
    throw new RepriseError('usage', 'a value was given, and --file too', { hint: 'give one of the two' })
  }
  if (argument !== undefined) return argument
  if (file !== undefined) {
    const { readNamedFile } = await import('../read-text-file.ts')
    return new Uint8Array(await readNamedFile(file))
  }
  return stdinIsTerminal() ? null : readStdin()
}

export function missingSession(session: string): RepriseError {
  return new RepriseError(
    'state-session-missing',
    `agent_state: there is no session '${session}' under this root`,
    {
      details: { session },
      hint: 'reprise state sessions lists those that are there',
    },
  )
}

export function missingKey(key: string): RepriseError {
  return new RepriseError('state-key-missing', `agent_state: there is no key '${key}' in this session`, {
    details: { key },
    hint: 'reprise state list shows those that are there',
  })
}

function hintOf(error: RepriseError): { hint?: string } {
  return error.hint === null ? {} : { hint: error.hint }
}
