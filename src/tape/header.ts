/**
 * The header line. Upstream's six keys first, always all written; then ours, each only when it has a value.
 * Keys that a newer writer added are kept as JSON text, as in a record.
 */
import { isObject, type Json, JsonScanError, parseJson, type UnknownObject } from '../base/index.ts'
import { version } from '../base/version.ts'
import { RepriseError } from '../errors/index.ts'
import { currentFeatures } from './features.ts'
import type { ExtraFields } from './kinds.ts'
import { memberText } from './record.ts'
import { serdeSafe, withoutEscapes } from './serde-safe.ts'

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
  readonly program?: {
    readonly execArgs: readonly string[]
    readonly script: string
    readonly args: readonly string[]
  }
  /** The program was forked: it has a channel to the process that started it, with messages in this form. */
  readonly channel?: string
  /** The tape is that of a child: `tape` is the tape of the process that started it, `child` its number there. */
  readonly childOf?: { readonly tape: string; readonly child: number }
  /** NODE_OPTIONS of a child, without ours. */
  readonly nodeOptions?: string
  readonly node?: string
  readonly boundaries?: {
    readonly [boundary: string]: { readonly mode: BoundaryMode; readonly source: string | null }
  }
  readonly roots?: readonly string[]
  readonly home?: string
  readonly temp?: string
  /** Files that were left alone, as patterns. */
  readonly ignore?: readonly string[]
  /** Native addons that the user vouched for: packages, or files without one. */
  readonly addons?: readonly string[]
  readonly timeZone?: string
  readonly locale?: string
  /** Which streams were terminals. `colors` is the number of bits of a colour. */
  readonly terminals?: {
    readonly stdin: boolean
    readonly stdout: HeaderTerminal | null
    readonly stderr: HeaderTerminal | null
  }
  /** BLAKE3 of each module outside node_modules, by path. */
  readonly modules?: { readonly [path: string]: string }
  /** Numbered behaviours that a replay must honour. */
  readonly features?: readonly number[]
  /** The tape that this one was made from, by a fork or a what-if. */
  readonly parent?: {
    readonly name: string
    /** The chain in its seal; null if it has none. */
    readonly chain: string | null
    readonly records: number
  }
  /** What a what-if changed, with the record of the parent. */
  readonly edits?: readonly { readonly seq: number; readonly edit: Json }[]
  /** After this record of the parent the run went on live, at these boundaries. */
  readonly fork?: {
    readonly at: number | null
    readonly live: readonly string[]
    /** Models that calls were sent to, by those that the program named. */
    readonly models?: Readonly<Record<string, string>>
  }
  readonly extra?: ExtraFields
}

type HeaderTerminal = { readonly columns: number; readonly rows: number; readonly colors: number }

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

type Draft = { -readonly [K in keyof TapeHeader]: TapeHeader[K] }

/** A key that we add: its names in memory and on the wire, and how it is read. */
type OwnField = {
  readonly name: keyof TapeHeader
  readonly wire: string
  read(header: Draft, value: UnknownObject, path: string): void
}

/** In the order of writing. */
const OURS: readonly OwnField[] = [
  own('producer', 'producer', isProducer),
  own('command', 'command', isTexts),
  { name: 'program', wire: 'program', read: readProgram },
  own('channel', 'channel', isText),
  own('childOf', 'child_of', isChildOf),
  own('nodeOptions', 'node_options', isText),
  own('node', 'node', isText),
  own('boundaries', 'boundaries', isBoundaries),
  own('roots', 'roots', isTexts),
  own('home', 'home', isText),
  own('temp', 'temp', isText),
  own('ignore', 'ignore', isTexts),
  own('addons', 'addons', isTexts),
  own('timeZone', 'time_zone', isText),
  own('locale', 'locale', isText),
  own('terminals', 'terminals', isTerminals),
  own('modules', 'modules', isTextMap),
  own('features', 'features', isIntegers),
  own('parent', 'parent', isParent),
  own('edits', 'edits', isEdits),
  own('fork', 'fork', isFork),
]

/** Every key by its names in memory and on the wire, in the order of writing. */
export const headerNames: readonly (readonly [name: keyof TapeHeader, wire: string])[] = [
  ['version', 'version'],
  ['harnVersion', 'harn_version'],
  ['startedAtUnixMs', 'started_at_unix_ms'],
  ['scriptPath', 'script_path'],
  ['argv', 'argv'],
  ...OURS.map(({ name, wire }) => [name, wire] as const),
]

const KNOWN = new Set<string>(['type', ...headerNames.map(([, wire]) => wire)])

export function encodeHeader(header: TapeHeader): string {
  let line = `{"type":"header","version":${header.version},"harn_version":${JSON.stringify(header.harnVersion)}`
  line += `,"started_at_unix_ms":${header.startedAtUnixMs},"script_path":${JSON.stringify(header.scriptPath)},"argv":${JSON.stringify(header.argv)}`
  for (const { name, wire } of OURS) {
    const value = name === 'program' ? encodeProgram(header.program) : header[name]
    if (value !== undefined) line += `,"${wire}":${JSON.stringify(value)}`
  }
  if (header.extra !== undefined)
    for (const wire of Object.keys(header.extra)) line += `,${JSON.stringify(wire)}:${header.extra[wire]}`
  return serdeSafe(`${line}}`)
}

function encodeProgram(program: TapeHeader['program']): Json | undefined {
  return program === undefined
    ? undefined
    : { exec_args: program.execArgs, script: program.script, args: program.args }
}

/**
 * Reads the first line of the tape at `path`. Refuses, with a code, what is no header or is newer than this
 * code.
 */
export function decodeHeader(text: string, path: string): TapeHeader {
  const line = parseObject(text, path).escapes === undefined ? text : withoutEscapes(text)
  const { escapes: _, ...value } = parseObject(line, path)
  if (value.type === 'record') {
    throw new RepriseError(
      'tape-header-missing',
      `tape ${path} is missing its header (first line is a record)`,
      { details: { path } },
    )
  }
  if (value.type !== 'header') throw invalid(path, 'its type is not "header"')
  if (typeof value.version !== 'number' || !Number.isInteger(value.version) || value.version < 0)
    throw invalid(path, 'version: expected an integer')
  for (const wire of ['version', 'started_at_unix_ms']) {
    if (/[.eE]/.test(memberText(line, wire))) throw invalid(path, `${wire}: expected an integer`)
  }
  if (value.version > TAPE_FORMAT_VERSION) throw newerVersion(path, value.version)
  if (typeof value.harn_version !== 'string') throw invalid(path, 'harn_version: expected a string')
  const header: Draft = {
    version: value.version,
    harnVersion: value.harn_version,
    startedAtUnixMs: optionalOf(value, 'started_at_unix_ms', isInteger, path) ?? null,
    scriptPath: optionalOf(value, 'script_path', isText, path) ?? null,
    argv: optionalOf(value, 'argv', isTexts, path) ?? [],
  }
  for (const field of OURS) field.read(header, value, path)
  const unknown = Object.keys(value).filter((key) => !KNOWN.has(key))
  if (unknown.length > 0)
    header.extra = Object.fromEntries(unknown.map((key) => [key, memberText(line, key)]))
  return header
}

function own<K extends keyof TapeHeader>(
  name: K,
  wire: string,
  is: (given: unknown) => given is NonNullable<TapeHeader[K]>,
): OwnField {
  return {
    name,
    wire,
    read(header, value, path) {
      const given = optionalOf(value, wire, is, path)
      if (given !== undefined) header[name] = given
    },
  }
}

function readProgram(header: Draft, value: UnknownObject, path: string): void {
  const program = optionalOf(value, 'program', isObject, path)
  if (program === undefined) return
  if (!isTexts(program.exec_args) || !isText(program.script) || !isTexts(program.args))
    throw invalid(path, 'program: expected exec_args, script, args')
  header.program = { execArgs: program.exec_args, script: program.script, args: program.args }
}

function optionalOf<T>(
  value: UnknownObject,
  wire: string,
  is: (given: unknown) => given is T,
  path: string,
): T | undefined {
  const given = value[wire]
  if (given === undefined || given === null) return undefined
  if (!is(given)) throw invalid(path, `${wire}: wrong type`)
  return given
}

function parseObject(line: string, path: string): UnknownObject {
  let value: unknown
  try {
    value = parseJson(line)
  } catch (cause) {
    throw invalid(path, cause instanceof JsonScanError ? 'it is nested too deep' : 'it is not JSON', cause)
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
  return new RepriseError(
    'tape-version',
    `tape ${path} declares version ${found} but this runtime supports up to ${TAPE_FORMAT_VERSION}`,
    {
      details: { path, found, supported: TAPE_FORMAT_VERSION },
      hint: 'use a newer Reprise',
    },
  )
}

function isInteger(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value)
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every(isText)
}

function isIntegers(value: unknown): value is readonly number[] {
  return Array.isArray(value) && value.every(isInteger)
}

function isTextMap(value: unknown): value is { readonly [key: string]: string } {
  return isObject(value) && Object.values(value).every(isText)
}

function isProducer(value: unknown): value is { readonly name: string; readonly version: string } {
  return isObject(value) && isText(value.name) && isText(value.version)
}

function isChildOf(value: unknown): value is NonNullable<TapeHeader['childOf']> {
  return isObject(value) && isText(value.tape) && isInteger(value.child)
}

function isBoundaries(value: unknown): value is NonNullable<TapeHeader['boundaries']> {
  return isObject(value) && Object.values(value).every((entry) => isObject(entry) && isText(entry.mode))
}

function isTerminals(value: unknown): value is NonNullable<TapeHeader['terminals']> {
  return (
    isObject(value) &&
    typeof value.stdin === 'boolean' &&
    [value.stdout, value.stderr].every((given) => given === null || isTerminal(given))
  )
}

function isTerminal(value: unknown): boolean {
  return isObject(value) && [value.columns, value.rows, value.colors].every(isInteger)
}

function isParent(value: unknown): value is NonNullable<TapeHeader['parent']> {
  return (
    isObject(value) &&
    isText(value.name) &&
    (value.chain === null || isText(value.chain)) &&
    isInteger(value.records)
  )
}

function isEdits(value: unknown): value is NonNullable<TapeHeader['edits']> {
  return Array.isArray(value) && value.every((item) => isObject(item) && isInteger(item.seq))
}

function isFork(value: unknown): value is NonNullable<TapeHeader['fork']> {
  return isObject(value) && (value.at === null || isInteger(value.at)) && isTexts(value.live)
}
