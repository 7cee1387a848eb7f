/**
 * Harn's process tape: a JSON array of subprocesses, in the order in which they ended. Everything but
 * `program` has a default; a blank file has no entries. Pure: text to entries and back.
 */

import type { Json } from '../../base/index.ts'
import { parseJson } from '../../base/index.ts'
import { RepriseError } from '../../errors/index.ts'

export type ProcessTapeEntry = {
  readonly program: string
  readonly args: readonly string[]
  /** Null matches any. */
  readonly cwd: string | null
  /** Reserved by the format: written empty, never matched. */
  readonly env: Readonly<Record<string, string>>
  readonly stdout: string
  readonly stderr: string
  /** −1 for a process that a signal ended. */
  readonly exitCode: number
  readonly durationMs: number
}

export type ReadProcessTape = {
  readonly entries: readonly ProcessTapeEntry[]
  /** Names of fields that the format does not have. */
  readonly unknownFields: readonly string[]
}

const FIELDS: ReadonlySet<string> = new Set([
  'program',
  'args',
  'cwd',
  'env',
  'stdout',
  'stderr',
  'exit_code',
  'duration_ms',
])

export function readProcessTape(text: string, path: string): ReadProcessTape {
  const plain = text.startsWith('\uFEFF') ? text.slice(1) : text
  if (plain.trim() === '') return { entries: [], unknownFields: [] }
  const document = parsed(plain, path)
  if (!Array.isArray(document)) throw invalid(path, 'it is no JSON array')
  const unknown = new Set<string>()
  const entries = document.map((value: Json, at) => entryOf(value, `entry ${at}`, path, unknown))
  return { entries, unknownFields: [...unknown] }
}

/** As Harn writes it: two blanks, no newline at the end. */
export function writeProcessTape(entries: readonly ProcessTapeEntry[]): string {
  return JSON.stringify(
    entries.map(({ program, args, cwd, env, stdout, stderr, exitCode, durationMs }) => ({
      program,
      args,
      cwd,
      env,
      stdout,
      stderr,
      exit_code: exitCode,
      duration_ms: durationMs,
    })),
    null,
    2,
  )
}

function parsed(text: string, path: string): Json {
  try {
    return parseJson(text)
  } catch (error) {
    throw invalid(path, error instanceof Error ? error.message : String(error))
  }
}

function entryOf(value: Json, where: string, path: string, unknown: Set<string>): ProcessTapeEntry {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalid(path, `${where} is no object`)
  const fields = value as { readonly [name: string]: Json }
  for (const name of Object.keys(fields)) if (!FIELDS.has(name)) unknown.add(name)
  const text = (name: string, otherwise: string | null): string => {
    const given = fields[name] ?? otherwise
    if (typeof given !== 'string') throw invalid(path, `${where}: ${name} is not a string`)
    return given
  }
  const whole = (name: string, least: number): number => {
    const given = fields[name] ?? 0
    if (typeof given !== 'number' || !Number.isSafeInteger(given) || given < least)
      throw invalid(path, `${where}: ${name} is no whole number`)
    return given
  }
  const { args = [], cwd = null, env = {} } = fields
  if (!Array.isArray(args) || !args.every((argument): argument is string => typeof argument === 'string'))
    throw invalid(path, `${where}: args is not a list of strings`)
  if (cwd !== null && typeof cwd !== 'string') throw invalid(path, `${where}: cwd is not a string`)
  if (!isTextMap(env)) throw invalid(path, `${where}: env is not a map of strings`)
  return {
    program: text('program', null),
    args,
    cwd,
    env,
    stdout: text('stdout', ''),
    stderr: text('stderr', ''),
    exitCode: whole('exit_code', -(2 ** 31)),
    durationMs: whole('duration_ms', 0),
  }
}

function isTextMap(value: Json): value is { readonly [name: string]: string } {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.values(value).every((each) => typeof each === 'string')
  )
}

function invalid(path: string, why: string): RepriseError {
  return new RepriseError('process-tape-invalid', `${path} is no process tape: ${why}`, {
    details: { path },
    hint: 'docs/format/process-tape.md describes the file',
  })
}
