/**
 * What a replay must know of the whole tape before it starts: which effects can be matched, by key and in
 * recorded order; the facts of process and machine; how the run ended; whether the tape is whole. A few bytes
 * per record; everything else is read when it is needed.
 */
import { headerOf, textOf } from '../../base/index.ts'
import { tryParseJson } from '../../base/parse-json.ts'
import { hasFeature } from '../../tape/features.ts'
import type { Finding } from '../../tape/findings.ts'
import { isForeignHeader, isForeignRecord } from '../../tape/foreign.ts'
import type { Gap, HeaderPairs, Kind, TapeHeader, TapeRecord } from '../../tape/index.ts'
import type { RecordEvent, TapePlace } from '../../tape/parser.ts'
import { readTapeBatches } from '../../tape/reader.ts'
import { eitherPlaces, type NamedPlaces, recordedPlaces } from '../../tape/root-names.ts'
import { tapePayloads } from '../../tape/tape-payloads.ts'
import { createTapeCheck } from '../../tape/verify.ts'
import type { CallNames } from '../mcp/call-ids.ts'
import { recordedCalls } from '../mcp/recorded-calls.ts'
import { type SentLine, SentMessages, sentText } from '../mcp/sent-messages.ts'
import type { ForeignSpawn } from './foreign-spawn.ts'
import { KeptLines } from './kept-lines.ts'
import { type ChildStarted, type NamedCassette, RecordedChildren } from './recorded-children.ts'
import { type RecordedFact, RecordedFacts } from './recorded-facts.ts'
import { RecordedRefusals, type Refusal } from './recorded-refusals.ts'
import { type EditRecord, editedEvents, selectedIn } from './selected-events.ts'
import { everything, type TapeSelection } from './tape-selection.ts'

export type TapeIndex = {
  readonly header: TapeHeader
  /** No record on it is ours: it is another system's tape. */
  readonly isForeign: boolean
  /** The server of the first call of MCP. */
  readonly mcpServer: string | null
  readonly seal: Kind<'tape_seal'> | null
  /**
   * The folders of the recording. A tape without a seal does not have them; the root is then the first
   * working directory that the program read.
   */
  readonly places: NamedPlaces
  readonly torn: boolean
  /** The records that a replay uses. */
  readonly selection: TapeSelection
  readonly records: number
  /** Whether it has records that the replay does not use. */
  readonly isPart: boolean
  /** What is wrong with the tape, as `reprise verify` finds it. */
  readonly findings: readonly Finding[]
  /** Every payload in a line has the hash that the line has for it, and no record is edited. */
  readonly hasCheckedPayloads: boolean
  /** The selected records, with their lines, in batches. Once. A large tape is read again for it. */
  takeRecords(): Iterable<readonly RecordEvent[]>
  /** Whether every effect has been started. */
  isUsedUp(): boolean
  readonly gaps: readonly Gap[]
  readonly notes: readonly Gap[]
  /** Records in which an input of the program was replaced by a placeholder. */
  readonly scrubbedInputs: number
  readonly recordedMs: number
  /** The recorded effect for a live one: the earliest unused one with this key. Each is used once. */
  take(boundary: string, key: string): number | null
  /**
   * The next recorded value of a fact. An extra read repeats the last one; a name that was never read is
   * undefined.
   */
  fact(api: string, name: string): RecordedFact | undefined
  /** Whether this fact was read. */
  hasFact(api: string, name: string): boolean
  /** Whether a subprocess with this key is an MCP server. */
  isServer(key: string): boolean
  isTaken(id: number): boolean
  /** Whether an unused effect with this key is left. */
  isLeft(boundary: string, key: string): boolean
  /** Whether the tape has an effect with this key. */
  hasKey(boundary: string, key: string): boolean
  /** Placeholders whose characters are checked: in sub-protocols of WebSockets, and in bearer tokens of requests. */
  readonly protocolSecrets: ReadonlySet<string>
  /** The cassette of a terminal: its name on the tape, and the record that has it. */
  cassetteOf(id: number): NamedCassette | null
  /** Whether something in the stream of this effect was replaced by a placeholder. */
  hasScrubbedStream(id: number): boolean
  /** The names on the tape of the calls of MCP in the request of this effect. */
  callNames(id: number): readonly CallNames[]
  /** What was sent to a subprocess that is an MCP server; null for any other. */
  sentLines(child: number): readonly SentLine[] | null
  /** The text of such a line. Reads the tape again. */
  sentText(child: number, at: number): string | null
  /** What was recorded about a subprocess when it started. */
  childStart(id: number): ChildStarted | undefined
  /** How the program was refused this effect, if that is part of the run. */
  refusal(id: number): Refusal | null
  /** The next refusal of a call with this key. Each is used once. */
  takeRefusedCall(key: string): Refusal | null
  /** The name of a subprocess's own tape. */
  childTape(id: number): string | null
  /** Writes that never completed. */
  readonly unfinished: readonly TapeRecord[]
  /** Subprocesses of which the tape has only the end. */
  readonly foreignSpawns: readonly ForeignSpawn[]
}

type Queue<T> = { readonly values: T[]; next: number }

/** Kinds that deliver something to the program. */
const INPUTS = new Set(
  `llm_call http_exchange server_request stream_chunk stream_end ws_message http2_frame file_read
  process_spawn mcp_json_rpc stdin_read terminal_session env_read`.split(/\s+/),
)

export function indexTape(
  path: string,
  selection: TapeSelection = everything,
  edit: EditRecord | null = null,
): TapeIndex {
  const isSelected = selection()
  const starts: Starts = new Map()
  const facts = new RecordedFacts()
  const protocolSecrets = new Set<string>()
  const taken = new Set<number>()
  const scrubbedStreams = new Set<number>()
  const calls = new Map<number, readonly CallNames[]>()
  const sentMessages = new SentMessages()
  const payloads = tapePayloads(path)
  const children = new RecordedChildren()
  const unfinished: TapeRecord[] = []
  const refusals = new RecordedRefusals()
  const gaps: Gap[] = []
  const notes: Gap[] = []
  let header: TapeHeader | null = null
  let seal: Kind<'tape_seal'> | null = null
  let torn = false
  let records = 0
  let scrubbedInputs = 0
  let recordedMs = 0
  let effects = 0
  let isPart = false
  let isForeign = true
  let mcpServer: string | null = null
  const check = createTapeCheck(path)
  const kept = new KeptLines(path)
  const onChunk = (chunk: Buffer, place: TapePlace): void => {
    check.chunk(chunk)
    kept.addChunk(chunk, place)
  }
  for (const events of readTapeBatches(path, onChunk)) {
    kept.addEvents(events)
    for (const event of events) check.event(event)
    for (const event of edit === null ? events : editedEvents(events, edit)) {
      if (event.type === 'header') header = event.header
      if (event.type === 'torn' || event.type === 'damage') torn = true
      if (event.type !== 'record') continue
      const { kind, seq, monotonicMs, scrubbed } = event.record
      isForeign &&= isForeignRecord(event.record)
      const selected = isSelected(event.record)
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
      if (kind.kind === 'server_request' && scrubbed !== undefined && issues(header))
        for (const secret of secretsOfBearer(kind.headers)) protocolSecrets.add(secret)
      if (kind.kind === 'effect_start') {
        queue(starts, kind.boundary, kind.key).values.push(kind.id)
        for (const secret of secretsOfProtocols(kind.key)) protocolSecrets.add(secret)
      }
      children.add(event.record)
      if (kind.kind === 'env_read') facts.add(kind, scrubbed ?? 0)
      if (kind.kind === 'stream_chunk' || kind.kind === 'stream_end') sentMessages.add(kind, payloads)
      if (kind.kind === 'http_exchange') keepCalls(calls, kind.id, recordedCalls(kind, payloads))
      if (kind.kind === 'note') notes.push({ seq, boundary: kind.boundary, reason: kind.reason })
      if (kind.kind === 'file_write' && kind.unfinished !== undefined) unfinished.push(event.record)
      refusals.add(event.record)
      if (kind.kind === 'gap') gaps.push({ seq, boundary: kind.boundary, reason: kind.reason })
    }
  }
  if (header === null) throw new Error('a tape without header was not refused')
  const checked = check.end()
  return {
    header,
    isForeign: isForeign && isForeignHeader(header),
    mcpServer,
    seal,
    places: eitherPlaces(recordedPlaces(header, seal), {
      root: folderIn(facts.peek('process.cwd', 'process.cwd')),
      home: null,
      temp: null,
    }),
    torn,
    selection,
    records,
    isPart,
    findings: checked.findings,
    hasCheckedPayloads: edit === null && checked.ok,
    takeRecords: () => selectedIn(kept.take(), edit, selection()),
    isUsedUp: () => taken.size === effects,
    gaps,
    notes,
    scrubbedInputs,
    recordedMs,
    take(boundary, key) {
      const known = starts.get(boundary)?.get(key)
      const id = known?.values[known.next]
      if (known === undefined || id === undefined) return null
      known.next += 1
      taken.add(id)
      return id
    },
    fact: (api, name) => facts.next(api, name),
    hasFact: (api, name) => facts.has(api, name),
    isServer: (key) =>
      (starts.get('process')?.get(key)?.values ?? []).some((id) => sentMessages.of(id) !== null),
    isTaken: (id) => taken.has(id),
    isLeft(boundary, key) {
      const known = starts.get(boundary)?.get(key)
      return known !== undefined && known.next < known.values.length
    },
    protocolSecrets,
    hasKey: (boundary, key) => starts.get(boundary)?.has(key) === true,
    cassetteOf: children.cassetteOf,
    hasScrubbedStream: (id) => scrubbedStreams.has(id),
    callNames: (id) => calls.get(id) ?? [],
    sentLines: (child) => sentMessages.of(child),
    sentText: (child, at) => sentText(path, child, at, payloads),
    childStart: children.start,
    refusal: (id) => refusals.ofEffects.get(id) ?? null,
    takeRefusedCall: refusals.takeCall,
    childTape: children.tapeOf,
    foreignSpawns: children.foreign,
    unfinished,
  }
}

/** A fact is JSON. */
function folderIn(fact: string | null | undefined): string | null {
  const folder = fact == null ? null : textOf(tryParseJson(fact))
  return folder?.startsWith('/') === true ? folder : null
}

function keepCalls(calls: Map<number, readonly CallNames[]>, id: number, names: readonly CallNames[]): void {
  if (names.length > 0) calls.set(id, names)
}

/** By boundary, then by key: joined to one text, it would be hashed at each search. */
type Starts = Map<string, Map<string, Queue<number>>>

function queue(starts: Starts, boundary: string, key: string): Queue<number> {
  const keys = starts.get(boundary) ?? new Map<string, Queue<number>>()
  starts.set(boundary, keys)
  const known = keys.get(key) ?? { values: [], next: 0 }
  keys.set(key, known)
  return known
}

function issues(header: TapeHeader | null): boolean {
  return header !== null && hasFeature(header, 'issuedSecrets')
}

/** A server may refuse a token with other characters than those of a token. */
function secretsOfBearer(headers: HeaderPairs): readonly string[] {
  const value = headerOf(headers, 'authorization') ?? ''
  return /^bearer /i.test(value) ? (value.match(PLACEHOLDERS) ?? []) : []
}

const PLACEHOLDERS = /<redacted:[^>]{1,180}>/g

/** `websocket ws://host/path realtime,key.<redacted:env:NAME>`: sub-protocols follow the address. */
function secretsOfProtocols(key: string): readonly string[] {
  if (!key.startsWith('websocket ')) return []
  return key.split(' ').slice(2).join(' ').match(PLACEHOLDERS) ?? []
}
