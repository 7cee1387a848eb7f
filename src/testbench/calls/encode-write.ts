/**
 * Written files as records. Content has one of three forms: whole, in pieces if it is large, or only what was
 * appended if a record before it has the rest. A replay compares what this run has written.
 *
 * Content is scrubbed as input: rules that guess would spoil the files.
 */
import { type ContentHash, contentHash } from '../../base/index.ts'
import type { Answer, Sent } from '../../boundaries/session.ts'
import type { Divergence } from '../../fidelity/divergence.ts'
import type { Scrubbed, ScrubbedBytes } from '../../scrub/index.ts'
import { type Payload, payloadLength } from '../../tape/index.ts'
import { RecordedWrite } from '../records/answers.ts'
import { ContentCollector, hashDivergence, largePieces, storePieces } from '../records/large-content.ts'
import { sentDivergence } from '../records/sent-content.ts'
import { learnFromSettings } from '../records/settings-secrets.ts'
import type { GivenAnswer } from '../session/delivery.ts'
import type { CallReference, Tools } from '../session/family.ts'
import { AppendedContent } from './appended-content.ts'
import { GrownFiles } from './grown-files.ts'
import { compareAppended, storeAppended } from './large-appends.ts'
import { pathText } from './path-text.ts'

type FileWrite = Extract<Answer, { readonly type: 'file_write' }>
type GivenWrite = GivenAnswer & { readonly answer: FileWrite }

type StoredWrite = {
  readonly payload: Scrubbed<Payload>
  /** Of the whole file, if the payload is a part of it. */
  readonly whole?: { readonly contentHash: ContentHash; readonly lenBytes: number }
  readonly from?: number | undefined
  readonly divergence: Divergence | null
}

/** Writes the record. Returns the divergence if the recording wrote something else. */
export type WriteEncoder = (
  given: GivenWrite,
  asked: CallReference,
  sent: Sent | undefined,
  what: string,
) => Divergence | null

export function writeEncoder(tools: Tools): WriteEncoder {
  const { recorder, scrubber } = tools
  const appended = new AppendedContent(scrubber)
  const grown = new GrownFiles(scrubber, appended)
  const fromTape = (bytes: Uint8Array): ScrubbedBytes => tools.received(FROM_TAPE).bytes(bytes)

  /** What was appended, if the record has only that; else null. */
  const appendedPart = (
    { answer, recorded }: GivenWrite,
    sent: Sent | undefined,
    what: string,
  ): StoredWrite | null => {
    const { path } = answer
    if (recorded === undefined) {
      if (answer.from === undefined || answer.whole === undefined) return null
      learnFromSettings(path, answer.bytes, scrubber)
      const part = grown.append(path, answer.bytes, answer.from)
      if (part === null) return null
      const { bytes, from, ...whole } = part
      return { payload: recorder.payloadFromBytes(bytes), whole, from, divergence: null }
    }
    const { from } = recorded
    if (!(answer instanceof RecordedWrite) || !answer.isPart || from === undefined) return null
    const expected = answer.bytes
    const piece = sent === undefined ? expected : sent(NOTHING, 0)
    const raw = appended.matchingEnd(path, expected, from, piece)
    learnFromSettings(path, raw, scrubber)
    const clean = appended.scrub(raw)
    appended.keepEnd(path, raw, from + raw.byteLength)
    const divergence = sentDivergence(recorded.at.seq, expected, clean, what)
    const bytes = divergence === null ? fromTape(expected) : clean
    const whole = {
      // What was before it has been compared at its own records.
      contentHash: divergence === null ? answer.contentHash : contentHash(bytes),
      lenBytes: from + bytes.byteLength,
    }
    return { payload: recorder.payloadFromBytes(bytes), whole, from, divergence }
  }

  /** Null for what is not large, or was not appended. */
  const largeAppend = (
    { answer, recorded }: GivenWrite,
    sent: Sent | undefined,
    what: string,
  ): StoredWrite | null => {
    const { path, from } = answer
    if (recorded === undefined) {
      if (answer.pieces === undefined || from === undefined) return null
      const { stored, hash, rawLength, ...rest } = storeAppended(path, answer.pieces(), from, appended, tools)
      grown.large(path, { hash, length: payloadLength(stored), rawLength })
      return { payload: stored, ...rest }
    }
    if (recorded.from === undefined || sent === undefined || !(answer instanceof RecordedWrite)) return null
    const { payload } = answer
    if (payload === undefined) return null
    const { seq } = recorded.at
    const compared = compareAppended({ path, payload, from: recorded.from, seq, what }, sent, appended, tools)
    if (compared === null) return null
    const { stored, ...rest } = compared
    return { payload: stored, ...rest }
  }

  /** In a replay what was there before, from the tape, and the pieces of this run. */
  const rawContent = ({ answer, recorded }: GivenWrite, sent: Sent | undefined): Uint8Array => {
    if (recorded === undefined || sent === undefined) return answer.bytes
    const from = recorded.from ?? answer.bytes.byteLength
    const whole = sent(answer.bytes, from)
    if (recorded.from === undefined || whole === answer.bytes) return whole
    return appended.matching(answer.path, answer.bytes, from, whole.subarray(from))
  }

  /** Where what is not from before begins in the scrubbed content. */
  const fromOf = ({ from, bytes, path }: FileWrite, clean: ScrubbedBytes): number | undefined => {
    if (from === undefined) return undefined
    const added = appended.scrub(appended.withHeld(path, bytes.subarray(from)))
    return Math.max(0, clean.byteLength - added.byteLength)
  }

  const wholeContent = (given: GivenWrite, sent: Sent | undefined, what: string): StoredWrite => {
    const { answer, recorded } = given
    const { path } = answer
    const raw = rawContent(given, sent)
    const isAppended = (recorded === undefined ? answer.from : recorded.from) !== undefined
    if (raw !== answer.bytes || recorded === undefined) learnFromSettings(path, raw, scrubber)
    const isUnchanged = recorded !== undefined && raw === answer.bytes
    const scrubRaw = (): ScrubbedBytes => (isAppended ? appended.scrub(raw) : scrubber.bytes(raw, 'received'))
    const clean = isUnchanged ? fromTape(raw) : scrubRaw()
    const divergence =
      recorded === undefined ? null : sentDivergence(recorded.at.seq, answer.bytes, clean, what)
    const bytes = recorded === undefined || divergence !== null ? clean : fromTape(answer.bytes)
    const payload = recorder.payloadFromBytes(bytes)
    const from = recorded === undefined ? fromOf(answer, bytes) : recorded.from
    if (isAppended) appended.keep(path, raw)
    if (isAppended && recorded === undefined) grown.whole(path, raw, clean)
    else grown.forget(path)
    return { payload, from, divergence }
  }

  return (given, asked, sent, what) => {
    const before = scrubber.hits
    const { payload, whole, from, divergence } =
      appendedPart(given, sent, what) ??
      largeAppend(given, sent, what) ??
      largeWrite(given, sent, what, tools) ??
      wholeContent(withWhole(given), sent, what)
    const kind = {
      kind: 'file_write',
      path: pathText(given.answer.path, asked, scrubber, given.key),
      contentHash: whole?.contentHash ?? payload.contentHash,
      lenBytes: whole?.lenBytes ?? payloadLength(payload),
      payload,
      ...asked,
    } as const
    recorder.record(
      from === undefined ? kind : { ...kind, from },
      given.recorded?.at.scrubbed ?? scrubber.hits - before,
    )
    return divergence
  }
}

const NOTHING = new Uint8Array()
const FROM_TAPE = { type: 'tape', effect: 0 } as const

/** With the whole content, where the answer has only what was appended. */
function withWhole(given: GivenWrite): GivenWrite {
  const { whole, ...answer } = given.answer
  return whole === undefined ? given : { ...given, answer: { ...answer, bytes: whole() } }
}

/** Null for what is not large, or was added to an end: it is written from memory. */
function largeWrite(
  { answer, recorded }: GivenWrite,
  sent: Sent | undefined,
  what: string,
  tools: Tools,
): StoredWrite | null {
  if (recorded === undefined) {
    const pieces = answer.pieces?.() ?? (answer.from === undefined ? largePieces(answer.bytes) : null)
    return pieces === null ? null : { payload: storePieces(pieces, tools), divergence: null }
  }
  if (recorded.from !== undefined) return null
  const collector = sent?.collected?.() ?? null
  const expected = answer instanceof RecordedWrite ? answer.payload : undefined
  if (!(collector instanceof ContentCollector) || expected === undefined) return null
  const payload = collector.end()
  const isSame = payload.contentHash === expected.contentHash
  return { payload, divergence: isSame ? null : hashDivergence(recorded.at.seq, what, expected, payload) }
}
