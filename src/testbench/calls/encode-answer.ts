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
import type { Scrubbed, ScrubbedText, Scrubber } from '../../scrub/index.ts'
import { type Kind, type Payload, payloadLength } from '../../tape/index.ts'
import { inlinePayload } from '../../tape/payload.ts'
import { type AnswerKind, jsonOf, RecordedRead } from '../records/answers.ts'
import { largePieces, storePieces } from '../records/large-content.ts'
import { sentDivergence } from '../records/sent-content.ts'
import { learnFromSettings } from '../records/settings-secrets.ts'
import type { GivenAnswer, Recorded } from '../session/delivery.ts'
import type { CallReference, Tools } from '../session/family.ts'
import type { ByteLane, Received } from '../session/received.ts'
import { writeEncoder } from './encode-write.ts'
import { pathText } from './path-text.ts'

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
  const write = writeEncoder(tools)
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
            readRecord(answer, asked, given.key, tools, received, recorded === undefined),
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
          const path = pathText(answer.path, asked, scrubber, given.key)
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

/** The most frequent of all answers. */
function readRecord(
  answer: Extract<Answer, { readonly type: 'file_read' }>,
  asked: CallReference,
  key: ScrubbedText | undefined,
  tools: Tools,
  received: Received,
  isFromWorld: boolean,
): Scrubbed<Kind<'file_read'>> {
  const path = pathText(answer.path, asked, tools.scrubber, key)
  const { payload, lenBytes } = contentOf(answer, tools, received, isFromWorld)
  const { contentHash } = payload
  return 'key' in asked
    ? { kind: 'file_read', path, contentHash, lenBytes, payload, key: asked.key }
    : { kind: 'file_read', path, contentHash, lenBytes, payload, of: asked.of }
}

function contentOf(
  answer: Extract<Answer, { readonly type: 'file_read' }>,
  tools: Tools,
  received: Received,
  isFromWorld: boolean,
): Scrubbed<{ readonly payload: Payload; readonly lenBytes: number }> {
  const { text } = answer
  // Its bytes are made of its text, and few programs read them.
  if (answer instanceof RecordedRead && text !== undefined) {
    const clean = received.text(text)
    const inline = inlinePayload(clean, clean === text ? answer.hash : null)
    if (inline !== null) return inline
  }
  const { bytes } = answer
  const pieces = isFromWorld ? largePieces(bytes) : null
  if (pieces !== null) {
    const payload = storePieces(pieces, tools)
    return { payload, lenBytes: payloadLength(payload) }
  }
  const clean = received.bytes(bytes)
  // Bytes that come back unchanged still have the text that the program was given.
  const payload = tools.recorder.payloadFromBytes(clean, clean === bytes ? text : undefined)
  return { payload, lenBytes: clean.byteLength }
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
