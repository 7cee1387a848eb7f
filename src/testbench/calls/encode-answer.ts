/**
 * Answers of files and subprocesses as records. What the program receives passes the scrubber, or comes from
 * a tape unchanged; what it sends with the call is taken from this run in both cases. Content of files that
 * it writes is scrubbed as input: rules that guess would spoil the files.
 */
import { type Json, label, unreachable } from '../../base/index.ts'
import type { ChildStart } from '../../boundaries/child-contract.ts'
import type { Answer, FsCall, Sent } from '../../boundaries/session.ts'
import type { Divergence } from '../../fidelity/divergence.ts'
import { startedAs } from '../../real/program.ts'
import type { Scrubbed, ScrubbedBytes, ScrubbedText, Scrubber } from '../../scrub/index.ts'
import { partOfScrubbed } from '../../scrub/scrubbed-parts.ts'
import { type Kind, type Payload, payloadLength } from '../../tape/index.ts'
import { type AnswerKind, jsonOf, RecordedWrite } from '../records/answers.ts'
import { ContentCollector, hashDivergence, largePieces, storePieces } from '../records/large-content.ts'
import { sentDivergence } from '../records/sent-content.ts'
import { learnFromSettings } from '../records/settings-secrets.ts'
import type { GivenAnswer, Recorded } from '../session/delivery.ts'
import type { CallReference, Tools } from '../session/family.ts'
import type { ByteLane, Received } from '../session/received.ts'
import { AppendedContent } from './appended-content.ts'
import { compareAppended, storeAppended } from './large-appends.ts'

const TAIL = label('tail')

export type AnswerEncoder = {
  /** Writes the answer. Returns the divergence if what the program sends differs from the recording. */
  encode(
    given: GivenAnswer,
    asked: CallReference,
    sent: Sent | undefined,
    child: ChildStart | undefined,
    what: string,
  ): Divergence | null
  /** Writes what is left of a stretch of an open file. */
  endStretch(stretch: number, path: string): void
}

export function answerEncoder(tools: Tools): AnswerEncoder {
  const { recorder, scrubber } = tools
  const appended = new AppendedContent(scrubber)
  const stretches = new Map<number, { readonly lane: ByteLane; readonly received: Received }>()

  const record = (
    kind: Scrubbed<AnswerKind>,
    received: Received,
    before: number,
    recorded: Recorded | undefined,
  ): void => void recorder.record(kind, recorded?.at.scrubbed ?? received.hits - before)

  const readData = (
    answer: FsCall,
    received: Received,
    recorded: Recorded | undefined,
  ): Scrubbed<Pick<Kind<'fs_call'>, 'data' | 'stretch' | 'held'>> => {
    const { data } = answer
    const stretch = recorded?.stretch ?? answer.stretch ?? 0
    if (data === undefined) return {}
    const known = stretches.get(stretch) ?? { lane: received.stream(), received }
    stretches.set(stretch, known)
    const bytes = recorder.chunkFromBytes(known.lane.push(data, recorded))
    const { held } = known.lane
    return held === 0 ? { data: bytes, stretch } : { data: bytes, stretch, held }
  }

  const endStretch = (stretch: number, path: string): void => {
    const known = stretches.get(stretch)
    stretches.delete(stretch)
    if (known === undefined) return
    const before = known.received.hits
    const [rest] = known.lane.end().chunks
    if (rest === undefined || rest.byteLength === 0) return
    const data = recorder.chunkFromBytes(rest)
    const kind = {
      kind: 'fs_call',
      call: TAIL,
      path: scrubber.text(path, 'sent'),
      result: null,
      error: null,
      data,
      stretch,
    } as const
    recorder.record(kind, known.received.hits - before)
  }

  /** In a replay what was there before, from the tape, and the pieces of this run. */
  const rawContent = (
    { answer, recorded }: GivenAnswer & { readonly answer: Extract<Answer, { type: 'file_write' }> },
    sent: Sent | undefined,
  ): Uint8Array => {
    if (recorded === undefined || sent === undefined) return answer.bytes
    const from = recorded.from ?? answer.bytes.byteLength
    const whole = sent(answer.bytes, from)
    if (recorded.from === undefined || whole === answer.bytes) return whole
    return appended.matching(answer.path, answer.bytes, from, whole.subarray(from))
  }

  /** Where what is not from before begins in the scrubbed content. */
  const fromOf = (
    { from, bytes, path }: Extract<Answer, { type: 'file_write' }>,
    clean: ScrubbedBytes,
  ): number | undefined => {
    if (from === undefined) return undefined
    const added = appended.scrub(appended.withHeld(path, bytes.subarray(from)))
    return Math.max(0, clean.byteLength - added.byteLength)
  }

  /** Null for what is not large, or was not appended. */
  const largeAppend = (
    { answer, recorded }: GivenAnswer & { readonly answer: Extract<Answer, { type: 'file_write' }> },
    sent: Sent | undefined,
    what: string,
  ): LargeWrite | null => {
    const { path, from } = answer
    if (recorded === undefined)
      return answer.pieces === undefined || from === undefined
        ? null
        : storeAppended(path, answer.pieces(), from, appended, tools)
    if (recorded.from === undefined || sent === undefined || !(answer instanceof RecordedWrite)) return null
    const { payload } = answer
    if (payload === undefined) return null
    const { seq } = recorded.at
    return compareAppended({ path, payload, from: recorded.from, seq, what }, sent, appended, tools)
  }

  const write = (
    given: GivenAnswer & { readonly answer: Extract<Answer, { type: 'file_write' }> },
    asked: CallReference,
    sent: Sent | undefined,
    what: string,
  ) => {
    const { answer, recorded } = given
    const before = scrubber.hits
    const large = largeAppend(given, sent, what) ?? largeWrite(given, sent, what, tools)
    if (large !== null) {
      const { stored, divergence, from } = large
      const path = pathText(answer.path, asked, scrubber)
      const { contentHash } = stored
      const kind = {
        kind: 'file_write',
        path,
        contentHash,
        lenBytes: payloadLength(stored),
        payload: stored,
        ...asked,
      } as const
      recorder.record(
        from === undefined ? kind : { ...kind, from },
        recorded?.at.scrubbed ?? scrubber.hits - before,
      )
      return divergence
    }
    const raw = rawContent(given, sent)
    const isAppended = (recorded === undefined ? answer.from : recorded.from) !== undefined
    if (raw !== answer.bytes || recorded === undefined) learnFromSettings(answer.path, raw, scrubber)
    const scrubRaw = (): ScrubbedBytes => (isAppended ? appended.scrub(raw) : scrubber.bytes(raw, 'received'))
    const clean =
      recorded !== undefined && raw === answer.bytes ? tools.received(FROM_TAPE).bytes(raw) : scrubRaw()
    const divergence =
      recorded === undefined ? null : sentDivergence(recorded.at.seq, answer.bytes, clean, what)
    const bytes =
      recorded === undefined || divergence !== null ? clean : tools.received(FROM_TAPE).bytes(answer.bytes)
    const stored = recorder.payloadFromBytes(bytes)
    const path = pathText(answer.path, asked, scrubber)
    const kind = {
      kind: 'file_write',
      path,
      contentHash: stored.contentHash,
      lenBytes: bytes.byteLength,
      payload: stored,
      ...asked,
    } as const
    const from = recorded === undefined ? fromOf(answer, bytes) : recorded.from
    if (isAppended) appended.keep(answer.path, raw)
    recorder.record(
      from === undefined ? kind : { ...kind, from },
      recorded?.at.scrubbed ?? scrubber.hits - before,
    )
    return divergence
  }

  const spawned = (
    answer: Extract<Answer, { type: 'process_spawn' }>,
    asked: CallReference | Record<never, never>,
    recorded: Recorded | undefined,
    sent: Sent | undefined,
    child: ChildStart | undefined,
    received: Received,
  ) => {
    const { exitCode, durationMs, signal, stdin } = answer
    const started = recorded === undefined || child === undefined ? answer : asRecorded(child, answer, tools)
    // First: a variable that is a secret is then known in what the child printed.
    const io =
      answer.io === undefined
        ? undefined
        : received.value(recorded === undefined ? withCleanEnv(answer.io, scrubber) : answer.io)
    const input =
      stdin === undefined
        ? undefined
        : scrubber.bytes(
            recorded === undefined || sent === undefined ? stdin : sent(stdin, stdin.byteLength),
            'sent',
          )
    const kind: Scrubbed<Kind<'process_spawn'>> = {
      kind: 'process_spawn',
      program: scrubber.text(started.program, 'sent'),
      args: scrubber.argv(started.args),
      cwd: started.cwd === null ? null : scrubber.text(started.cwd, 'sent'),
      exitCode,
      durationMs,
      stdoutPayload: recorder.payloadFromBytes(received.bytes(answer.stdout)),
      stderrPayload: recorder.payloadFromBytes(received.bytes(answer.stderr)),
      ...(input === undefined ? {} : { stdin: recorder.payloadFromBytes(input) }),
      ...(signal === undefined ? {} : { signal }),
      ...(io === undefined ? {} : { io }),
      ...(answer.tape === undefined ? {} : { tape: scrubber.text(answer.tape, 'sent') }),
      ...asked,
    }
    return { kind, input, expected: stdin }
  }

  return {
    endStretch,
    encode(given, asked, sent, child, what) {
      const { answer, recorded } = given
      const received = tools.received(recorded === undefined ? WORLD : FROM_TAPE)
      const before = received.hits
      switch (answer.type) {
        case 'file_read':
          if (recorded === undefined) learnFromSettings(answer.path, answer.bytes, scrubber)
          record(
            readRecord(answer, asked, tools, received, recorded === undefined),
            received,
            before,
            recorded,
          )
          return null
        case 'file_write': {
          const { ends } = answer
          if (ends !== undefined) endStretch(ends, answer.path)
          return write({ ...given, answer }, asked, sent, what)
        }
        case 'file_delete':
          record(
            { kind: 'file_delete', path: pathText(answer.path, asked, scrubber), ...asked },
            received,
            before,
            recorded,
          )
          return null
        case 'fs_call': {
          const { ends, stretch } = answer
          if (ends !== undefined && ends !== stretch) endStretch(ends, answer.path)
          const read = readData(answer, received, recorded)
          const result = received.value(answer.result)
          const error = answer.error === null ? null : received.value(jsonOf(answer.error))
          const path = pathText(answer.path, asked, scrubber)
          record(
            { kind: 'fs_call', call: answer.call, path, result, error, ...asked, ...read },
            received,
            before,
            recorded,
          )
          if (ends !== undefined && ends === stretch) endStretch(ends, answer.path)
          return null
        }
        case 'process_spawn': {
          const { kind, input, expected } = spawned(
            answer,
            given.isForeign === true ? {} : asked,
            recorded,
            sent,
            given.isForeign === true ? undefined : child,
            received,
          )
          record(kind, received, before, recorded)
          if (recorded === undefined || input === undefined || expected === undefined) return null
          return sentDivergence(recorded.at.seq, expected, input, what)
        }
        default:
          return unreachable(answer)
      }
    },
  }
}

const WORLD = { type: 'world' } as const
const FROM_TAPE = { type: 'tape', effect: 0 } as const

type LargeWrite = {
  readonly stored: Scrubbed<Payload>
  readonly divergence: Divergence | null
  readonly from?: number
}

/** Null for what is not large, or was added to an end: it is written from memory. */
function largeWrite(
  { answer, recorded }: GivenAnswer & { readonly answer: Extract<Answer, { type: 'file_write' }> },
  sent: Sent | undefined,
  what: string,
  tools: Tools,
): LargeWrite | null {
  if (recorded === undefined) {
    const pieces = answer.pieces?.() ?? (answer.from === undefined ? largePieces(answer.bytes) : null)
    return pieces === null ? null : { stored: storePieces(pieces, tools), divergence: null }
  }
  if (recorded.from !== undefined) return null
  const collector = sent?.collected?.() ?? null
  const expected = answer instanceof RecordedWrite ? answer.payload : undefined
  if (!(collector instanceof ContentCollector) || expected === undefined) return null
  const stored = collector.end()
  const isSame = stored.contentHash === expected.contentHash
  return { stored, divergence: isSame ? null : hashDivergence(recorded.at.seq, what, expected, stored) }
}

/** A key that ends with the path was scrubbed and kept it: there is nothing to look for. */
function pathText(path: string, asked: CallReference, scrubber: Scrubber): ScrubbedText {
  const known = 'key' in asked && asked.key.endsWith(` ${path}`) ? partOfScrubbed(asked.key, path) : null
  return known ?? scrubber.text(path, 'sent')
}

/** The most frequent of all answers. */
function readRecord(
  { path, bytes, text }: Extract<Answer, { readonly type: 'file_read' }>,
  asked: CallReference,
  tools: Tools,
  received: Received,
  isFromWorld: boolean,
): Scrubbed<Kind<'file_read'>> {
  const { recorder, scrubber } = tools
  const named = pathText(path, asked, scrubber)
  const pieces = isFromWorld ? largePieces(bytes) : null
  if (pieces !== null) {
    const payload = storePieces(pieces, tools)
    const { contentHash } = payload
    return {
      kind: 'file_read',
      path: named,
      contentHash,
      lenBytes: payloadLength(payload),
      payload,
      ...asked,
    }
  }
  const clean = received.bytes(bytes)
  // Bytes that come back unchanged still have the text that the program was given.
  const payload = recorder.payloadFromBytes(clean, clean === bytes ? text : undefined)
  const { contentHash } = payload
  const lenBytes = clean.byteLength
  return 'key' in asked
    ? { kind: 'file_read', path: named, contentHash, lenBytes, payload, key: asked.key }
    : { kind: 'file_read', path: named, contentHash, lenBytes, payload, of: asked.of }
}

/**
 * What this run started, with the paths of the recording. The Node that runs the program may be installed
 * elsewhere.
 */
function asRecorded(
  child: ChildStart,
  recorded: Pick<ChildStart, 'program' | 'args'>,
  { tape }: Tools,
): Pick<ChildStart, 'program' | 'args' | 'cwd'> {
  const moved = (text: string): string => tape?.moved(text) ?? text
  const name = (live: string, then: string | undefined): string =>
    live === startedAs.execPath && then !== undefined ? then : moved(live)
  return {
    program: name(child.program, recorded.program),
    args: child.args.map((argument, at) => name(argument, recorded.args[at])),
    cwd: child.cwd === null ? null : moved(child.cwd),
  }
}

/** Variables are scrubbed by their names too. */
function withCleanEnv(io: Json, scrubber: Scrubber): Json {
  if (typeof io !== 'object' || io === null || Array.isArray(io)) return io
  const { env } = io as { readonly env?: Json }
  if (typeof env !== 'object' || env === null || Array.isArray(env)) return io
  return {
    ...io,
    env: Object.fromEntries(
      Object.entries(env).map(([name, value]) => [name, scrubber.env(name, String(value))]),
    ),
  }
}
