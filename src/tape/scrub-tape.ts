/**
 * Makes a cleaned copy of a tape, or only judges it. What was recorded here was scrubbed on its way to the
 * disk; this is for foreign tapes, and for rules that came later.
 *
 * A record in which nothing is found is copied as the text that it was. A stream is scrubbed as a whole, so
 * that a secret split over its chunks is found. The copy is sealed anew if the original was sealed, and not
 * signed: it is not what was signed.
 */
import { type ContentHash, fieldsOf, isObject } from '../base/index.ts'
import type { Scrubbed, ScrubbedBytes, Scrubber, StreamScrubber } from '../scrub/index.ts'
import { fromDisk } from '../scrub/scrubbed.ts'
import { concatScrubbed, scrubbedTextOrNull } from '../scrub/scrubbed-parts.ts'
import { AppendedHashes } from './appended-hashes.ts'
import { createCasWriter, readCasEntry } from './cas.ts'
import { type ChildSeal, childSeals } from './children-folder.ts'
import { damageError } from './event-tape.ts'
import type { HeaderPairs } from './fields.ts'
import type { Kind, RecordKind } from './kinds.ts'
import { casReferences, chunkOf, payloadOf } from './payload.ts'
import { issuePlainCookies } from './plain-cookies.ts'
import { readTapeEvents } from './reader.ts'
import { recordedExchanges } from './rebuild-request.ts'
import type { TapeRecord } from './record.ts'
import { type PayloadAccess, scrubKind } from './scrub-kind.ts'
import { scrubHeader } from './scrubbed-header.ts'
import { areLengthsOf } from './separate-chunks.ts'
import { tapePayloads } from './tape-payloads.ts'
import { TapeWriter } from './writer.ts'

export type ScrubTapeReport = {
  /** Secrets found, and replaced unless only judged. */
  readonly found: number
  readonly records: number
  /** Records in which something was found, with their number; at most a thousand. */
  readonly places: readonly { readonly line: number; readonly seq: number | null; readonly found: number }[]
  readonly sealed: boolean
}

export type ScrubTapeOptions = {
  readonly force?: boolean
  /**
   * Cleans the cassette that a record names, or judges it; gives the record as it then is, and how much was
   * found.
   */
  readonly terminal?: (
    kind: Kind<'terminal_session'>,
    scrubber: Scrubber,
  ) => Promise<{ readonly kind: Kind<'terminal_session'>; readonly found: number }>
  /** A request without its secret has another key. With the old one no replay of the copy would match it. */
  readonly requestOfToday?: (
    request: {
      readonly method: string
      readonly url: string
      readonly headers: HeaderPairs
      readonly body: Uint8Array | null
    },
    key: string,
    scrubber: Scrubber,
  ) => RequestOfToday | null
}

/** What a recording of today would write of a recorded request. */
export type RequestOfToday = {
  readonly key: Scrubbed<string>
  readonly url: Scrubbed<string>
  readonly headers: Scrubbed<HeaderPairs>
  readonly body: ScrubbedBytes | null
  /** The digest of the call of a model that this request is, by the recorded digest and model. */
  digest(recorded: ContentHash, model: string | null): ContentHash
}

const MAX_LISTED = 1000

/** `out` null only judges: nothing is written. Damage is refused: `repair` first. */
export async function scrubTape(
  path: string,
  out: string | null,
  makeScrubber: () => Scrubber,
  options: ScrubTapeOptions = {},
): Promise<ScrubTapeReport> {
  const scrubber = makeScrubber()
  // A scrubber of its own for the first look, so that nothing is counted, or numbered, twice.
  const first = makeScrubber()
  const dirty = streamsWithSecrets(path, first, (kind) => issuePlainCookies(kind, first, scrubber))
  const streams = streamScrubbers(scrubber, dirty, path)
  const requests = out === null ? NO_REQUESTS : changedRequests(path, makeScrubber(), options)
  const places: { line: number; seq: number | null; found: number }[] = []
  const counted = <T>(line: number, seq: number | null, scrub: () => T): T => {
    const before = scrubber.hits
    const clean = scrub()
    if (scrubber.hits > before && places.length < MAX_LISTED)
      places.push({ line, seq, found: scrubber.hits - before })
    return clean
  }
  const hashes = new AppendedHashes()
  let writer: TapeWriter | null = null
  let access: PayloadAccess = payloadAccess(path, null)
  let records = 0
  let inCassettes = 0
  let seal: Kind<'tape_seal'> | null = null
  try {
    for (const event of readTapeEvents(path)) {
      switch (event.type) {
        case 'damage':
          throw damageError(path, event.damage)
        case 'torn':
          // Not copied, and what is left is not sealed: the copy is reported as cut off.
          break
        case 'header': {
          const before = scrubber.hits
          const header = counted(1, null, () => scrubHeader(event.header, scrubber))
          if (out === null) break
          const isClean = scrubber.hits === before
          writer = isClean
            ? TapeWriter.openCopy(out, fromDisk(event.text), options)
            : TapeWriter.open(out, header, options)
          access = payloadAccess(path, writer)
          break
        }
        case 'record': {
          const { record, text, line } = event
          if (record.kind.kind === 'tape_seal') {
            const { places: named } = record.kind
            seal =
              named === undefined
                ? record.kind
                : {
                    ...record.kind,
                    places: counted(line, record.seq, () => scrubber.value(named, 'sent', 'seal')),
                  }
            break
          }
          records += 1
          const terminal =
            record.kind.kind === 'terminal_session'
              ? await options.terminal?.(record.kind, makeScrubber())
              : undefined
          if (terminal !== undefined && terminal.found > 0) {
            inCassettes += terminal.found
            if (places.length < MAX_LISTED) places.push({ line, seq: record.seq, found: terminal.found })
          }
          const source = terminal?.kind ?? record.kind
          const kind = counted(
            line,
            record.seq,
            () =>
              streams.scrub(record, access) ??
              hashes.of(
                source,
                withRequest(scrubKind(source, scrubber, access, `#${record.seq}`), requests, access),
              ),
          )
          if (kind === record.kind) {
            if (out !== null) copyPayloads(path, out, record)
            writer?.copy(fromDisk(record), fromDisk(text))
          } else writer?.append({ ...fromDisk(record), kind })
        }
      }
    }
    finish(writer, seal, out)
    return { found: scrubber.hits + inCassettes, records, places, sealed: seal !== null }
  } finally {
    writer?.abandon()
  }
}

const NO_REQUESTS: ReadonlyMap<number, RequestOfToday> = new Map()

/** The requests whose key changes because they contain a secret, by effect. */
function changedRequests(
  path: string,
  scrubber: Scrubber,
  { requestOfToday }: ScrubTapeOptions,
): ReadonlyMap<number, RequestOfToday> {
  if (requestOfToday === undefined) return NO_REQUESTS
  const keys = new Map<number, string>()
  const access = payloadAccess(path, null)
  const before = scrubber.hits
  for (const event of readTapeEvents(path)) {
    if (event.type !== 'record') continue
    const { kind } = event.record
    if (kind.kind === 'effect_start') keys.set(kind.id, kind.key)
    if (kind.kind === 'effect_start' || kind.kind === 'http_exchange') scrubKind(kind, scrubber, access, '')
  }
  // A conversation has each message once, its requests have it many times: they are put together only if needed.
  if (scrubber.hits === before) return NO_REQUESTS
  const changed = new Map<number, RequestOfToday>()
  for (const { exchange, body } of recordedExchanges(path)) {
    const { id, method, url, requestHeaders: headers } = exchange
    const key = keys.get(id)
    const today = key === undefined ? null : requestOfToday({ method, url, headers, body }, key, scrubber)
    if (today !== null && today.key !== key) changed.set(id, today)
  }
  return changed
}

function withRequest(
  kind: Scrubbed<RecordKind>,
  requests: ReadonlyMap<number, RequestOfToday>,
  access: PayloadAccess,
): Scrubbed<RecordKind> {
  switch (kind.kind) {
    case 'effect_start': {
      const today = requests.get(kind.id)
      return today === undefined ? kind : { ...kind, key: today.key }
    }
    case 'http_exchange': {
      const today = requests.get(kind.id)
      if (today === undefined) return kind
      const { url, headers: requestHeaders, body } = today
      const changed = { ...kind, url, requestHeaders }
      return body === null || kind.requestBody === undefined
        ? changed
        : { ...changed, requestBody: access.payload(body) }
    }
    case 'llm_call': {
      const today = kind.wire === undefined ? undefined : requests.get(kind.wire)
      if (today === undefined) return kind
      return { ...kind, requestDigest: today.digest(kind.requestDigest, kind.model ?? null) }
    }
    default:
      return kind
  }
}

/** Copies of the children's tapes are there already: the new seal names them. */
function finish(writer: TapeWriter | null, seal: Kind<'tape_seal'> | null, out: string | null): void {
  if (writer === null || out === null) return
  if (seal !== null) {
    const { boundaries, exit, stdout, stderr, endedBy } = seal
    const children = seal.children === undefined ? {} : { children: copiedSeals(out, seal) }
    const places = seal.places === undefined ? {} : { places: seal.places }
    const end = endedBy === undefined ? { exit } : { exit, endedBy }
    const facts = { boundaries, ...end, stdout, stderr, ...children, ...places }
    writer.close(fromDisk(facts) as Parameters<TapeWriter['close']>[0])
    return
  }
  writer.abandon()
  if (writer.failure !== null) throw writer.failure
}

function copiedSeals(out: string, { children }: Kind<'tape_seal'>): { readonly [name: string]: ChildSeal } {
  const killed = Object.entries(fieldsOf(children)).filter(([, seal]) => isObject(seal))
  return childSeals(out, new Set(killed.map(([name]) => name)))
}

function payloadAccess(path: string, writer: TapeWriter | null): PayloadAccess {
  return {
    resolve: tapePayloads(path),
    payload: (bytes) => (writer === null ? payloadOf(bytes, () => undefined) : writer.payload(bytes)),
    chunk: (bytes) => (writer === null ? chunkOf(bytes, () => undefined) : writer.chunk(bytes)),
  }
}

function copyPayloads(path: string, out: string, record: TapeRecord): void {
  const cas = createCasWriter(out, 'os')
  for (const { contentHash, lenBytes } of casReferences(record.kind))
    cas.put(contentHash, fromDisk(readCasEntry(path, contentHash, lenBytes)))
}

type StreamScrubbers = {
  /** The scrubbed kind of a chunk; null for a record that is none. */
  scrub(record: TapeRecord, access: PayloadAccess): Scrubbed<RecordKind> | null
}

/**
 * Of each stream that holds a secret, the number of its last chunk. What the scrubber holds back goes there
 * at the latest: no record is added.
 */
function streamsWithSecrets(
  path: string,
  scrubber: Scrubber,
  seen: (kind: RecordKind) => void,
): ReadonlyMap<string, number> {
  const dirty = new Map<string, number>()
  const open = new Map<string, { readonly scan: StreamScrubber; found: boolean; lastSeq: number }>()
  const finish = (key: string): void => {
    const stream = open.get(key)
    if (stream === undefined) return
    const before = scrubber.hits
    stream.scan.end()
    if (stream.found || scrubber.hits > before) dirty.set(key, stream.lastSeq)
    open.delete(key)
  }
  for (const event of readTapeEvents(path)) {
    if (event.type !== 'record') continue
    const { kind, seq } = event.record
    seen(kind)
    if (kind.kind === 'stream_end') for (const direction of ['in', 'out']) finish(`${kind.of} ${direction}`)
    if (kind.kind !== 'stream_chunk') continue
    const stream = open.get(streamKey(kind)) ?? {
      scan: scrubber.stream(sideOf(kind)),
      found: false,
      lastSeq: seq,
    }
    open.set(streamKey(kind), stream)
    const before = scrubber.hits
    stream.scan.push(tapePayloads(path)(kind.data))
    stream.found ||= scrubber.hits > before
    stream.lastSeq = seq
  }
  for (const key of [...open.keys()]) finish(key)
  return dirty
}

function streamScrubbers(
  scrubber: Scrubber,
  dirty: ReadonlyMap<string, number>,
  path: string,
): StreamScrubbers {
  const open = new Map<string, StreamScrubber>()
  return {
    scrub(record, access) {
      const { kind, seq } = record
      if (kind.kind !== 'stream_chunk') return null
      const lastSeq = dirty.get(streamKey(kind))
      if (lastSeq === undefined) return fromDisk<RecordKind>(kind)
      const stream = open.get(streamKey(kind)) ?? scrubber.stream(sideOf(kind))
      open.set(streamKey(kind), stream)
      const chunks = [stream.push(tapePayloads(path)(kind.data))]
      if (seq === lastSeq) chunks.push(stream.end())
      const bytes = concatScrubbed(chunks)
      const { parts, ...rest } = fromDisk(kind)
      // Chunks that share a record whose bytes have moved become one.
      const text = parts !== undefined && areLengthsOf(parts, bytes) ? scrubbedTextOrNull(bytes) : null
      return parts === undefined || text === null
        ? { ...rest, data: access.chunk(bytes) }
        : { ...rest, data: { form: 'text', text }, parts }
    },
  }
}

function streamKey(kind: Kind<'stream_chunk'>): string {
  return `${kind.of} ${kind.direction}`
}

function sideOf(kind: Kind<'stream_chunk'>): 'sent' | 'received' {
  return kind.direction === 'in' ? 'received' : 'sent'
}
