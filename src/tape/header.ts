/**
 * The header line. Upstream's six keys first, always all written; then ours, each only when it has a value. Keys that a newer writer added are
 * kept as JSON text, as in a record.
 */
import { isObject, type Json } from '../base/index.ts'
import { version } from '../base/version.ts'
import { RepriseError } from '../errors/index.ts'
import { currentFeatures } from './features.ts'
import type { ExtraFields } from './kinds.ts'
import { memberText } from './record.ts'

/** The newest format that this code reads and writes. */
export const TAPE_FORMAT_VERSION = 1

export type BoundaryMode = 'record' | 'replay' | 'passthrough' | 'deny'

export type TapeHeader = {
  readonly version: number
  /** Who wrote the tape, as upstream's readers know it: a Harn version, or `reprise/<version>`. */
  readonly harnVersion: string
  readonly startedAtUnixMs: number | null
  readonly scriptPath: string | null
  readonly argv: readonly string[]
  /** Missing from a foreign tape. */
  readonly producer?: { readonly name: string; readonly version: string }
  /** The command as it was typed. */
  readonly command?: readonly string[]
  /** What replay starts. */
  readonly program?: { readonly execArgs: readonly string[]; readonly script: string; readonly args: readonly string[] }
  readonly node?: string
  readonly boundaries?: { readonly [boundary: string]: { readonly mode: BoundaryMode; readonly source: string | null } }
  readonly roots?: readonly string[]
  readonly home?: string
  readonly temp?: string
  /** Files that were left alone, as patterns. */
  readonly ignore?: readonly string[]
  readonly timeZone?: string
  readonly locale?: string
  /** BLAKE3 of each module outside node_modules, by path. */
  readonly modules?: { readonly [path: string]: string }
  /** Numbered behaviours that a replay must honour. */
  readonly features?: readonly number[]
  readonly extra?: ExtraFields
}

export type HeaderFacts = Partial<Omit<TapeHeader, 'version' | 'harnVersion' | 'producer'>>

/** A header of this version of Reprise. */
export function createHeader(facts: HeaderFacts = {}): TapeHeader {
  return {
    version: TAPE_FORMAT_VERSION,
    harnVersion: `reprise/${version}`,
    startedAtUnixMs: null,
    scriptPath: null,
    argv: [],
    producer: { name: 'reprise', version },
    features: currentFeatures,
    ...facts,
  }
}

/** In-memory name and wire name of what we add, in the order of writing. `program` and `producer` have their own inner names. */
const OURS = [
  ['producer', 'producer'],
  ['command', 'command'],
  ['program', 'program'],
  ['node', 'node'],
  ['boundaries', 'boundaries'],
  ['roots', 'roots'],
  ['home', 'home'],
  ['temp', 'temp'],
  ['ignore', 'ignore'],
  ['timeZone', 'time_zone'],
  ['locale', 'locale'],
  ['modules', 'modules'],
  ['features', 'features'],
] as const satisfies readonly (readonly [keyof TapeHeader, string])[]

const KNOWN = new Set<string>(['type', 'version', 'harn_version', 'started_at_unix_ms', 'script_path', 'argv', ...OURS.map(([, wire]) => wire)])

export function encodeHeader(header: TapeHeader): string {
  let line = `{"type":"header","version":${header.version},"harn_version":${JSON.stringify(header.harnVersion)}`
  line += `,"started_at_unix_ms":${header.startedAtUnixMs},"script_path":${JSON.stringify(header.scriptPath)},"argv":${JSON.stringify(header.argv)}`
  for (const [name, wire] of OURS) {
    const value = name === 'program' ? encodeProgram(header.program) : header[name]
    if (value !== undefined) line += `,"${wire}":${JSON.stringify(value)}`
  }
  if (header.extra !== undefined) for (const wire of Object.keys(header.extra)) line += `,${JSON.stringify(wire)}:${header.extra[wire]}`
  return `${line}}`
}

function encodeProgram(program: TapeHeader['program']): Json | undefined {
  return program === undefined ? undefined : { exec_args: program.execArgs, script: program.script, args: program.args }
}

/** Reads the first line of the tape at `path`. Refuses, with a code, what is no header or is newer than this code. */
export function decodeHeader(line: string, path: string): TapeHeader {
  const value = parseObject(line, path)
  if (value.type === 'record') {
    throw new RepriseError('tape-header-missing', `tape ${path} is missing its header (first line is a record)`, { details: { path } })
  }
  if (value.type !== 'header') throw invalid(path, 'its type is not "header"')
  if (typeof value.version !== 'number' || !Number.isInteger(value.version) || value.version < 0) throw invalid(path, 'version: expected an integer')
  if (value.version > TAPE_FORMAT_VERSION) throw newerVersion(path, value.version)
  if (typeof value.harn_version !== 'string') throw invalid(path, 'harn_version: expected a string')
  const header: { -readonly [K in keyof TapeHeader]: TapeHeader[K] } = {
    version: value.version,
    harnVersion: value.harn_version,
    startedAtUnixMs: optionalOf(value, 'started_at_unix_ms', isInteger, path) ?? null,
    scriptPath: optionalOf(value, 'script_path', isText, path) ?? null,
    argv: optionalOf(value, 'argv', isTexts, path) ?? [],
  }
  readOurs(header, value, path)
  const unknown = Object.keys(value).filter((key) => !KNOWN.has(key))
  if (unknown.length > 0) header.extra = Object.fromEntries(unknown.map((key) => [key, memberText(line, key)]))
  return header
}

function readOurs(header: { -readonly [K in keyof TapeHeader]: TapeHeader[K] }, value: Readonly<Record<string, unknown>>, path: string): void {
  const set = <K extends keyof TapeHeader>(name: K, wire: string, is: (given: unknown) => given is NonNullable<TapeHeader[K]>): void => {
    const given = optionalOf(value, wire, is, path)
    if (given !== undefined) header[name] = given
  }
  set('producer', 'producer', isProducer)
  set('command', 'command', isTexts)
  set('node', 'node', isText)
  set('boundaries', 'boundaries', isBoundaries)
  set('roots', 'roots', isTexts)
  set('home', 'home', isText)
  set('temp', 'temp', isText)
  set('ignore', 'ignore', isTexts)
  set('timeZone', 'time_zone', isText)
  set('locale', 'locale', isText)
  set('modules', 'modules', isTextMap)
  set('features', 'features', isIntegers)
  const program = optionalOf(value, 'program', isObject, path)
  if (program !== undefined) {
    if (!isTexts(program.exec_args) || !isText(program.script) || !isTexts(program.args))
      throw invalid(path, 'program: expected exec_args, script, args')
    header.program = { execArgs: program.exec_args, script: program.script, args: program.args }
  }
}

function optionalOf<T>(value: Readonly<Record<string, unknown>>, wire: string, is: (given: unknown) => given is T, path: string): T | undefined {
  const given = value[wire]
  if (given === undefined || given === null) return undefined
  if (!is(given)) throw invalid(path, `${wire}: wrong type`)
  return given
}

function parseObject(line: string, path: string): Readonly<Record<string, unknown>> {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch (cause) {
    throw invalid(path, 'it is not JSON', cause)
  }
  if (!isObject(value)) throw invalid(path, 'it is no JSON object')
  return value
}

function invalid(path: string, why: string, cause?: unknown): RepriseError {
  return new RepriseError('tape-header-invalid', `the first line of ${path} is no tape header: ${why}`, {
    details: { path },
    hint: 'is it a tape?',
    cause,
  })
}

function newerVersion(path: string, found: number): RepriseError {
  return new RepriseError('tape-version', `tape ${path} declares version ${found} but this runtime supports up to ${TAPE_FORMAT_VERSION}`, {
    details: { path, found, supported: TAPE_FORMAT_VERSION },
    hint: 'use a newer Reprise',
  })
}

const isInteger = (value: unknown): value is number => typeof value === 'number' && Number.isInteger(value)
const isText = (value: unknown): value is string => typeof value === 'string'
const isTexts = (value: unknown): value is readonly string[] => Array.isArray(value) && value.every(isText)
const isIntegers = (value: unknown): value is readonly number[] => Array.isArray(value) && value.every(isInteger)
const isTextMap = (value: unknown): value is { readonly [key: string]: string } => isObject(value) && Object.values(value).every(isText)
const isProducer = (value: unknown): value is { readonly name: string; readonly version: string } =>
  isObject(value) && isText(value.name) && isText(value.version)
const isBoundaries = (value: unknown): value is NonNullable<TapeHeader['boundaries']> =>
  isObject(value) && Object.values(value).every((entry) => isObject(entry) && isText(entry.mode))
