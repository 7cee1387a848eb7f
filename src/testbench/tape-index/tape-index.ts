/**
 * What a replay must know of the whole tape before it starts: which effects can be matched, by key and in
 * recorded order; the facts of process and machine; how the run ended; whether the tape is whole. A few bytes
 * per record; everything else is read when its turn comes.
 */
import { type ContentHash, fieldsOf, type Json } from '../../base/index.ts'
import type { Finding } from '../../tape/findings.ts'
import { isForeignHeader, isForeignRecord } from '../../tape/foreign.ts'
import type { Gap, Kind, TapeHeader, TapeRecord } from '../../tape/index.ts'
import type { RecordEvent, TapeEvent } from '../../tape/parser.ts'
import { readTapeBatches, readTapeEvents } from '../../tape/reader.ts'
import { tapePayloads } from '../../tape/tape-payloads.ts'
import { createTapeCheck } from '../../tape/verify.ts'
import type { CallNames } from '../mcp/call-ids.ts'
import { recordedCalls } from '../mcp/recorded-calls.ts'
import { type SentLine, SentMessages, sentText } from '../mcp/sent-messages.ts'
import { type ForeignSpawn, isForeignSpawn } from './foreign-spawn.ts'
import { keepBytes } from './kept-bytes.ts'
import { everything, type TapeSelection } from './tape-selection.ts'

export type TapeIndex = {
  readonly header: TapeHeader
  /** Nothing on it is of our own making: it is another system's tape. */
  readonly isForeign: boolean
  /** The server of the first call of MCP. */
  readonly mcpServer: string | null
  readonly seal: Kind<'tape_seal'> | null
  readonly torn: boolean
  /** Which records a replay is about. */
  readonly selection: TapeSelection
  readonly records: number
  /** Whether it has records that the replay is not about. */
  readonly isPart: boolean
  /** What is wrong with the tape, as `reprise verify` finds it. */
  readonly findings: readonly Finding[]
  /** The selected records, with their lines. Once. A large tape is read again for it. */
  takeRecords(): Iterable<RecordEvent>
  /** Whether every effect has been started. */
  isUsedUp(): boolean
  readonly gaps: readonly Gap[]
  readonly notes: readonly Gap[]
  /** Records in which something that the program took in was replaced by a placeholder. */
  readonly scrubbedInputs: number
  readonly recordedMs: number
  /**
   * The recorded effect that a live one is: the earliest with this key that has not been taken. Never one
   * twice.
   */
  take(boundary: string, key: string): number | null
  /**
   * The next recorded value of a fact. An extra read repeats the last one; a name that was never read is
   * undefined.
   */
  fact(
    api: string,
    name: string,
  ): { readonly value: string | null; readonly extra: boolean; readonly scrubbed: number } | undefined
  /** Whether this fact was read. */
  hasFact(api: string, name: string): boolean
  /** Whether a subprocess with this key is an MCP server. */
  isServer(key: string): boolean
  isTaken(id: number): boolean
  /** Whether the tape has an effect with this key. */
  hasKey(boundary: string, key: string): boolean
  /** The cassette of a terminal: its name on the tape, and the record that has it. */
  cassetteOf(id: number): NamedCassette | null
  /** Whether something in the stream of this effect was replaced by a placeholder. */
  hasScrubbedStream(id: number): boolean
  /** How the calls of MCP in the request of this effect are called on the tape. */
  callNames(id: number): readonly CallNames[]
  /** What a subprocess that is an MCP server was sent; null for any other. */
  sentLines(child: number): readonly SentLine[] | null
  /** The text of such a line. Reads the tape again. */
  sentText(child: number, at: number): string | null
  /** What was recorded about a subprocess when it started. */
  childStart(id: number): ChildStarted | undefined
  /** How the program was refused this effect, if that is part of the run. */
  refusal(id: number): Refusal | null
  /** The next refusal of a call with this key. Never one twice. */
  takeRefusedCall(key: string): Refusal | null
  /** The name of the own tape of a subprocess. */
  childTape(id: number): string | null
  /** Writes that never completed. */
  readonly unfinished: readonly TapeRecord[]
  /** Subprocesses of which the tape has nothing but how they ended. */
  readonly foreignSpawns: readonly ForeignSpawn[]
}

/** A refusal that is part of the run, and the record that has it. */
export type Refusal = TapeRecord & { readonly kind: Kind<'divergence'> }

/** Records that are read in the place of one. */
export type EditRecord = (record: TapeRecord) => readonly TapeRecord[] | null

type ChildStarted = { readonly seq: number; readonly request: Json; readonly pid: number | null }
type NamedCassette = {
  readonly name: string
  readonly seq: number
  readonly hash: ContentHash | undefined
  readonly hasOutputHash: boolean
  readonly scrubbed: number
}

/** Of lines whose records are kept in memory, so that they are parsed once. */
const MAX_KEPT_CHARS = 8 * 1024 * 1024

type Fact = { readonly value: string | null; readonly scrubbed: number }
const NO_FACT: Fact = { value: null, scrubbed: 0 }

type Queue<T> = { readonly values: T[]; next: number }

/** Kinds that hand something to the program. */
const INPUTS = new Set([
  'llm_call',
  'http_exchange',
  'server_request',
  'stream_chunk',
  'stream_end',
  'ws_message',
  'file_read',
  'process_spawn',
  'mcp_json_rpc',
  'stdin_read',
  'terminal_session',
  'env_read',
])

export function indexTape(
  path: string,
  selection: TapeSelection = everything,
  edit: EditRecord | null = null,
): TapeIndex {
  const isSelected = selection()
  const starts = new Map<string, Queue<number>>()
  const facts = new Map<string, Queue<Fact>>()
  const taken = new Set<number>()
  const scrubbedStreams = new Set<number>()
  const calls = new Map<number, readonly CallNames[]>()
  const sentMessages = new SentMessages()
  const payloads = tapePayloads(path)
  const childStarts = new Map<number, ChildStarted>()
  const childTapes = new Map<number, string>()
  const foreignSpawns: ForeignSpawn[] = []
  const unfinished: TapeRecord[] = []
  const cassettes = new Map<number, NamedCassette>()
  const refusals = new Map<number, Refusal>()
  const refusedCalls = new Map<string, Queue<Refusal>>()
  const gaps: Gap[] = []
  const notes: Gap[] = []
  let header: TapeHeader | null = null
  let seal: Kind<'tape_seal'> | null = null
  let torn = false
  let records = 0
  let scrubbedInputs = 0
  let recordedMs = 0
  let keptChars = 0
  let effects = 0
  let isPart = false
  let isForeign = true
  let mcpServer: string | null = null
  let kept: RecordEvent[] | null = []
  const check = createTapeCheck(path)
  const bytes = keepBytes()
  const onChunk = (chunk: Buffer): void => {
    check.chunk(chunk)
    bytes.add(chunk)
  }
  for (const events of readTapeBatches(path, onChunk)) {
    for (const event of events) check.event(event)
    for (const event of edit === null ? events : editedEvents(events, edit)) {
      if (event.type === 'header') header = event.header
      if (event.type === 'torn' || event.type === 'damage') torn = true
      if (event.type !== 'record') continue
      const { kind, seq, monotonicMs, scrubbed } = event.record
      isForeign &&= isForeignRecord(event.record)
      const selected = isSelected(event.record)
      keptChars += event.text.length
      if (keptChars > MAX_KEPT_CHARS) kept = null
      else if (selected) kept?.push(event)
      if (kind.kind === 'tape_seal') {
        seal = kind
        continue
      }
      if (!selected) {
        isPart = true
        continue
      }
      records += 1
      if (kind.kind === 'effect_start') effects += 1
      if (kind.kind === 'mcp_json_rpc') mcpServer ??= kind.server
      recordedMs = Math.max(recordedMs, monotonicMs)
      if (scrubbed !== undefined && INPUTS.has(kind.kind)) scrubbedInputs += 1
      if (scrubbed !== undefined && (kind.kind === 'stream_chunk' || kind.kind === 'stream_end'))
        scrubbedStreams.add(kind.of)
      if (kind.kind === 'effect_start') queue(starts, `${kind.boundary} ${kind.key}`).values.push(kind.id)
      if (kind.kind === 'effect_start' && kind.boundary === 'process' && kind.request !== undefined) {
        childStarts.set(kind.id, { seq, request: kind.request, pid: kind.pid ?? null })
      }
      if (kind.kind === 'process_spawn' && kind.tape !== undefined) {
        const { effect } = fieldsOf(kind.io)
        if (typeof effect === 'number') childTapes.set(effect, kind.tape)
      }
      if (kind.kind === 'process_spawn' && isForeignSpawn(kind))
        foreignSpawns.push({ seq, kind, record: event.record })
      if (kind.kind === 'env_read')
        queue(facts, `${kind.api ?? 'process.env'} ${kind.name}`).values.push({
          value: kind.value,
          scrubbed: scrubbed ?? 0,
        })
      if (kind.kind === 'stream_chunk' || kind.kind === 'stream_end') sentMessages.add(kind, payloads)
      if (kind.kind === 'http_exchange') keepCalls(calls, kind.id, recordedCalls(kind, payloads))
      if (kind.kind === 'note') notes.push({ seq, boundary: kind.boundary, reason: kind.reason })
      if (kind.kind === 'terminal_session' && kind.of !== undefined) {
        const { cassette: name, manifestHash: hash, outputHash } = kind
        cassettes.set(kind.of, {
          name,
          seq,
          hash,
          hasOutputHash: outputHash !== undefined,
          scrubbed: scrubbed ?? 0,
        })
      }
      if (kind.kind === 'file_write' && kind.unfinished !== undefined) unfinished.push(event.record)
      if (isRefusal(event.record)) {
        if (event.record.kind.of !== undefined) refusals.set(event.record.kind.of, event.record)
        if (event.record.kind.refused !== undefined)
          queue(refusedCalls, event.record.kind.refused).values.push(event.record)
      }
      if (kind.kind === 'gap') gaps.push({ seq, boundary: kind.boundary, reason: kind.reason })
    }
  }
  if (header === null) throw new Error('a tape without header was not refused')
  if (kept !== null) bytes.take()
  return {
    header,
    isForeign: isForeign && isForeignHeader(header),
    mcpServer,
    seal,
    torn,
    selection,
    records,
    isPart,
    findings: check.end().findings,
    takeRecords() {
      const read = (): Iterable<TapeEvent> => bytes.take()?.events(path) ?? readTapeEvents(path)
      const known = kept ?? selectedIn(edit === null ? read() : editedEvents(read(), edit), selection())
      kept = null
      return known
    },
    isUsedUp: () => taken.size === effects,
    gaps,
    notes,
    scrubbedInputs,
    recordedMs,
    take(boundary, key) {
      const known = starts.get(`${boundary} ${key}`)
      const id = known?.values[known.next]
      if (known === undefined || id === undefined) return null
      known.next += 1
      taken.add(id)
      return id
    },
    fact(api, name) {
      const known = facts.get(`${api} ${name}`)
      if (known === undefined) return undefined
      const extra = known.next >= known.values.length
      const fact = known.values[Math.min(known.next, known.values.length - 1)] ?? NO_FACT
      known.next += 1
      return { ...fact, extra }
    },
    hasFact: (api, name) => facts.has(`${api} ${name}`),
    isServer: (key) =>
      (starts.get(`process ${key}`)?.values ?? []).some((id) => sentMessages.of(id) !== null),
    isTaken: (id) => taken.has(id),
    hasKey: (boundary, key) => starts.has(`${boundary} ${key}`),
    cassetteOf: (id) => cassettes.get(id) ?? null,
    hasScrubbedStream: (id) => scrubbedStreams.has(id),
    callNames: (id) => calls.get(id) ?? [],
    sentLines: (child) => sentMessages.of(child),
    sentText: (child, at) => sentText(path, child, at, payloads),
    childStart: (id) => childStarts.get(id),
    refusal: (id) => refusals.get(id) ?? null,
    takeRefusedCall(key) {
      const known = refusedCalls.get(key)
      const refusal = known?.values[known.next]
      if (known !== undefined) known.next += 1
      return refusal ?? null
    },
    childTape: (id) => childTapes.get(id) ?? null,
    foreignSpawns,
    unfinished,
  }
}

function isRefusal(record: TapeRecord): record is Refusal {
  const { kind } = record
  return kind.kind === 'divergence' && (kind.of !== undefined || kind.refused !== undefined)
}

/** An edited record has no line: it is on no tape. */
function* editedEvents(events: Iterable<TapeEvent>, edit: EditRecord): Generator<TapeEvent, void, undefined> {
  for (const event of events) {
    const instead = event.type === 'record' ? edit(event.record) : null
    if (instead === null || event.type !== 'record') yield event
    else for (const record of instead) yield { ...event, record, text: '' }
  }
}

function* selectedIn(
  events: Iterable<TapeEvent>,
  isSelected: (record: TapeRecord) => boolean,
): Generator<RecordEvent, void, undefined> {
  for (const event of events) if (event.type === 'record' && isSelected(event.record)) yield event
}

function keepCalls(calls: Map<number, readonly CallNames[]>, id: number, names: readonly CallNames[]): void {
  if (names.length > 0) calls.set(id, names)
}

function queue<T>(map: Map<string, Queue<T>>, key: string): Queue<T> {
  const known = map.get(key) ?? { values: [], next: 0 }
  map.set(key, known)
  return known
}
