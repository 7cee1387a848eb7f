/**
 * One record and its line.
 *
 * Encoding equals upstream's writer byte for byte for upstream's kinds: key order, nulls, integers. Decoding
 * keeps what it does not know: unknown kinds and unknown fields hold their JSON text, so that a rewritten
 * record loses nothing.
 */
import { isObject, JsonScanError, parseJson, scanJson } from '../base/index.ts'
import { type Field, FieldError, type IntegerType, isInteger } from './fields.ts'
import { createKindDecoder, createLoopDecoder, type KindDecoder, wrongMember } from './kind-decoder.ts'
import { createKindEncoder, type KindEncoder } from './kind-encoder.ts'
import { type ExtraFields, kinds, type RecordKind } from './kinds.ts'
import { serdeSafe, withoutEscapes } from './serde-safe.ts'
import type { Fields } from './upstream-kinds.ts'

export const phases = ['user_script', 'runtime_finalize'] as const
export type Phase = (typeof phases)[number]

export type TapeRecord = {
  readonly seq: number
  readonly phase: Phase
  /** UNIX milliseconds on the run's clock. */
  readonly virtualTimeMs: number
  /** Milliseconds since the recorder was made. */
  readonly monotonicMs: number
  readonly kind: RecordKind
  /** How many secrets were replaced in this record. */
  readonly scrubbed?: number
}

/** What is wrong with a line that is JSON but no record: a sentence with the field's name. */
export class RecordError extends Error {}

/** The line without its line break. */
export function encodeRecord(record: TapeRecord): string {
  const kind = encodeKind(record.kind)
  const scrubbed = record.scrubbed === undefined ? '' : `,"scrubbed":${record.scrubbed}`
  return serdeSafe(
    `{"type":"record","seq":${record.seq},"phase":"${record.phase}","virtual_time_ms":${record.virtualTimeMs},"monotonic_ms":${record.monotonicMs},"kind":${kind}${scrubbed}}`,
    mayNest(record.kind),
  )
}

/**
 * `line` is the text that `value` was parsed from; it is used only where something unknown must be kept.
 */
export function decodeRecord(value: Readonly<Record<string, unknown>>, line: string): TapeRecord {
  if (value.escapes !== undefined) return decodePlain(line)
  if (isFraction(line)) refuseFractions(value.kind, line)
  const phase = value.phase === undefined ? 'user_script' : readPhase(value.phase)
  const record = {
    seq: readNumber(value.seq, 'seq', 'u64'),
    phase,
    virtualTimeMs: readNumber(value.virtual_time_ms, 'virtual_time_ms', 'i64'),
    monotonicMs: readNumber(value.monotonic_ms, 'monotonic_ms', 'i64'),
    kind: decodeKind(value.kind, line),
  }
  return typeof value.scrubbed === 'number' ? { ...record, scrubbed: value.scrubbed } : record
}

/** Only free JSON nests: a field of that shape that has an object, or what an unknown writer has added. */
function mayNest(kind: RecordKind): boolean {
  if (kind.kind === 'unknown' || kind.extra !== undefined) return true
  const names = codecOf(kind.kind)?.nesting ?? []
  const values = kind as { readonly [name: string]: unknown }
  for (const name of names) if (typeof values[name] === 'object' && values[name] !== null) return true
  return false
}

function decodePlain(line: string): TapeRecord {
  const plain = withoutEscapes(line)
  let value: unknown
  try {
    value = parseJson(plain)
  } catch {
    throw new RecordError('escapes: the unescaped text is not JSON')
  }
  if (!isObject(value)) throw new RecordError('escapes: the unescaped value is not a record')
  const { escapes: _, ...record } = value
  return decodeRecord(record, plain)
}

const ENVELOPE = new Set(['seq', 'virtual_time_ms', 'monotonic_ms'])

/**
 * Whether a fraction or an exponent is where an integer may be meant. Inside of a string the quotes are
 * escaped.
 */
function isFraction(line: string): boolean {
  if (!/":\s*-?\d+[.eE]/.test(line)) return false
  fraction ??= new RegExp(`(?<!\\\\)"(?:${integerNames().join('|')})":\\s*-?\\d+[.eE]`)
  return fraction.test(line)
}

/** Made when a line has a fraction: many tapes have none. */
let fraction: RegExp | null = null

function integerNames(): string[] {
  const fields = Object.values(kinds).flatMap((table) => Object.values<Field<unknown>>(table))
  const integers = fields.flatMap(({ schema, wire }) => (schema.type === 'integer' ? [wire] : []))
  return [...new Set([...ENVELOPE, ...integers])]
}

/** Upstream reads integers, and `1.0` is none. JSON that belongs to a payload may hold any number. */
function refuseFractions(kind: unknown, line: string): void {
  const check = (names: ReadonlySet<string>, text: string, prefix: string): void => {
    for (const [name, number] of members(text)) {
      if (names.has(name) && /^-?\d+[.eE]/.test(number))
        throw new RecordError(`${prefix}${name}: expected an integer, got ${number}`)
    }
  }
  check(ENVELOPE, line, '')
  const codec = isObject(kind) && typeof kind.kind === 'string' ? codecOf(kind.kind) : undefined
  if (codec === undefined) return
  const integers = codec.fields
    .filter(({ field }) => field.schema.type === 'integer')
    .map(({ field }) => field.wire)
  check(new Set(integers), memberText(line, 'kind'), 'kind.')
}

type Codec = {
  readonly head: string
  /** Made of the table once a kind has come often: a short recording does without. */
  encode: KindEncoder | null
  written: number
  /** Made when a record of this kind is first read, and compiled once it has come often. */
  decode: KindDecoder | null
  read: number
  readonly table: Fields
  /** The names of fields with free JSON. */
  readonly nesting: readonly string[]
  readonly fields: readonly { readonly name: string; readonly key: string; readonly field: Field<unknown> }[]
}

/** So many records of a kind are written, or read, before its encoder or decoder is worth compiling. */
const OFTEN = 16

/** Filled as kinds come: most runs have few of them. */
const codecs = new Map<string, Codec>()

function codecOf(kind: string): Codec | undefined {
  const known = codecs.get(kind)
  if (known !== undefined || !Object.hasOwn(kinds, kind)) return known
  const table: Fields = kinds[kind as keyof typeof kinds]
  const codec: Codec = {
    head: `{"kind":"${kind}"`,
    encode: null,
    written: 0,
    decode: null,
    read: 0,
    table,
    nesting: Object.keys(table).filter((name) => table[name]?.shape === 'json'),
    fields: Object.entries(table).map(([name, field]) => ({ name, key: `,"${field.wire}":`, field })),
  }
  codecs.set(kind, codec)
  return codec
}

function encodeKind(kind: RecordKind): string {
  if (kind.kind === 'unknown') return kind.json
  const codec = codecOf(kind.kind)
  if (codec === undefined) throw new RecordError(`no such kind: ${kind.kind}`)
  const values = kind as { readonly [name: string]: unknown }
  if (codec.encode === null) {
    codec.written += 1
    if (codec.written === OFTEN)
      codec.encode = createKindEncoder(kind.kind, codec.table, (name) => missing(kind.kind, name))
  }
  if (codec.encode !== null) {
    const text = codec.encode(values)
    return kind.extra === undefined ? `${text}}` : `${text}${extraText(kind.extra)}}`
  }
  let out = codec.head
  for (const { name, key, field } of codec.fields) {
    const value = values[name]
    if (value === undefined) {
      if (field.presence === 'optional') continue
      missing(kind.kind, name)
    }
    out += key + field.encode(value)
  }
  return kind.extra === undefined ? `${out}}` : `${out}${extraText(kind.extra)}}`
}

function missing(kind: string, name: string): never {
  throw new RecordError(`${kind} needs ${name}`)
}

function extraText(extra: ExtraFields): string {
  return Object.keys(extra)
    .map((wire) => `,${JSON.stringify(wire)}:${extra[wire]}`)
    .join('')
}

function decodeKind(value: unknown, line: string): RecordKind {
  if (!isObject(value)) throw new RecordError('kind: expected an object')
  const name = value.kind
  if (typeof name !== 'string') throw new RecordError('kind.kind: expected a string')
  const codec = codecOf(name)
  if (codec === undefined) return { kind: 'unknown', name, json: memberText(line, 'kind') }
  try {
    return decoderOf(name, codec)(value, () => extraFields(line, codec)) as RecordKind
  } catch (error) {
    if (error instanceof FieldError) throw new RecordError(`${wrongMember(value, codec.table)} (${name})`)
    throw error
  }
}

function decoderOf(name: string, codec: Codec): KindDecoder {
  if (codec.read > OFTEN && codec.decode !== null) return codec.decode
  codec.read += 1
  if (codec.read > OFTEN) codec.decode = createKindDecoder(name, codec.table)
  codec.decode ??= createLoopDecoder(name, codec.table)
  return codec.decode
}

function extraFields(line: string, codec: Codec): ExtraFields {
  const known = new Set(['kind', ...codec.fields.map(({ field }) => field.wire)])
  const extra: { [wire: string]: string } = {}
  for (const [name, text] of members(memberText(line, 'kind'))) if (!known.has(name)) extra[name] = text
  return extra
}

function readPhase(value: unknown): Phase {
  if (value === 'user_script') return value
  const phase = phases.find((known) => known === value)
  if (phase === undefined) throw new RecordError(`phase: expected one of ${phases.join(', ')}`)
  return phase
}

function readNumber(number: unknown, wire: string, type: IntegerType): number {
  if (!isInteger(number, type)) throw new RecordError(`${wire}: expected an integer (${type})`)
  return number
}

/**
 * The text of a member's value in the object that `text` is; the last one wins where a key repeats, as in the
 * parsed value.
 */
export function memberText(text: string, name: string): string {
  let found = ''
  for (const [key, member] of members(text)) if (key === name) found = member
  return found
}

function members(text: string): [name: string, text: string][] {
  const found: [string, string][] = []
  let key = ''
  let start = -1
  scanJson(text, (token) => {
    if (token.depth === 1 && token.type === 'key') key = JSON.parse(text.slice(token.start, token.end))
    else if (token.depth === 1 && (token.type === 'open-object' || token.type === 'open-array'))
      start = token.start
    else if (token.depth === 1) found.push([key, text.slice(start < 0 ? token.start : start, token.end)])
    if (token.depth === 1 && token.type !== 'open-object' && token.type !== 'open-array') start = -1
  })
  return found
}

export function isTooDeep(error: unknown): boolean {
  return error instanceof JsonScanError && error.reason === 'depth'
}
