/**
 * Calls that have one answer: of files, and of subprocesses that are run to their end. A call that returns at
 * once is matched by its key; an effect with one answer shares the codec.
 */
import type { ChildStart } from '../../boundaries/child-contract.ts'
import { divergenceError } from '../../fidelity/divergence.ts'
import { otherStart } from '../../fidelity/sentences.ts'
import { hasFeature } from '../../tape/features.ts'
import { payloadLength } from '../../tape/index.ts'
import { spawnKey, syncKey } from '../keys/spawn-key.ts'
import { knownOfStart, startDifference } from '../process/start-difference.ts'
import { type AnswerKind, answerOf, RecordedWrite } from '../records/answers.ts'
import { chunkBytes } from '../records/chunk-bytes.ts'
import { createKeyTexts } from '../records/key-texts.ts'
import { recordedStretches } from '../records/recorded-stretches.ts'
import type { CallFamily, Tools } from '../session/family.ts'
import { answerEncoder } from './encode-answer.ts'
import { type Piece, WrittenContents } from './written-contents.ts'

export function callFamily(tools: Tools): CallFamily {
  const { scrubber, tape } = tools
  const { encode, endStretch } = answerEncoder(tools)
  const bytesRead = tape === null ? null : recordedStretches(tape.payloads, () => tape.unread())
  const keys = tape === null ? null : createKeyTexts(tape.header, scrubber)
  const written = tools.mayLeave ? new WrittenContents() : null
  const pieceOf = (answer: RecordedWrite): Piece => {
    const { payload } = answer
    if (payload === undefined || tape === null)
      return { length: answer.bytes.byteLength, bytes: () => answer.bytes }
    return { length: payloadLength(payload), bytes: () => tape.payloads(payload) }
  }
  const spawnOf = (child: ChildStart) => spawnKey(child, scrubber, tape?.moved)
  return {
    keys(key, child) {
      if (child === undefined) return [scrubber.text(key, 'sent')]
      const spawn = spawnOf(child)
      return [syncKey(spawn.key), syncKey(spawn.anywhere)]
    },
    decode(record) {
      const kind = record.kind as AnswerKind
      const at = record
      if (tape === null) throw new Error('there is no tape to decode')
      if (kind.kind !== 'fs_call' || kind.data === undefined || bytesRead === null) {
        const recorded =
          kind.kind === 'file_write' && kind.from !== undefined ? { at, from: kind.from } : { at }
        const own = kind.kind === 'file_read' ? (written?.read(kind.path) ?? null) : null
        if (kind.kind === 'file_read' && own !== null) {
          const bytes = scrubber.bytes(own, 'received')
          return { answer: { type: 'file_read', path: kind.path, bytes }, recorded }
        }
        const answer = answerOf(kind, tape.payloads, undefined, tape.index.hasCheckedPayloads)
        const given = keys?.inAnswer(answer) ?? null
        return given === null ? { answer, recorded } : { answer, recorded, given }
      }
      const { bytes, padding, ahead } = bytesRead(kind)
      const { stretch = 0, held } = kind
      return {
        answer: answerOf(kind, tape.payloads, () => bytes),
        recorded: {
          at,
          stretch,
          ...(held === undefined ? {} : { held: { bytes: held, written: chunkBytes(kind.data) } }),
          ...(padding === null ? {} : { padding }),
          ...(ahead.byteLength === 0 ? {} : { ahead }),
        },
      }
    },
    keyOf: ({ kind }) =>
      tape !== null && 'key' in kind && kind.key !== undefined
        ? tape.keyText(kind.key)
        : scrubber.text('', 'sent'),
    encode(given, asked, sent, child, what) {
      const divergence = encode(given, asked, sent, child, what)
      const { answer, recorded } = given
      if (written === null) return divergence
      if (answer.type === 'file_delete') written.deleted(answer.path)
      if (answer.type !== 'file_write') return divergence
      const mayDiffer = tools.mayDiffer()
      if (recorded !== undefined && answer instanceof RecordedWrite) {
        const content = { piece: pieceOf(answer), isPart: answer.isPart, from: recorded.from ?? null }
        written.wrote(answer.path, content, sent, mayDiffer && divergence !== null)
      }
      return mayDiffer ? null : divergence
    },
    reached({ kind }) {
      if (kind.kind === 'fs_call' && kind.stretch !== undefined) endStretch(kind.stretch, kind.path)
    },
    check({ seq, kind }, key, child) {
      if (child === undefined || tape === null || kind.kind !== 'process_spawn' || kind.io === undefined)
        return
      if (!hasFeature(tape.header, 'optionsCount')) return
      const difference = startDifference(kind.io, child, scrubber, tape.moved, knownOfStart(tape.header))
      if (difference !== null) throw divergenceError(tools.diverge(otherStart(seq, key, difference)))
    },
    unmatched(child) {
      const taken = child === undefined ? null : (tape?.foreign.take(spawnOf(child)) ?? null)
      if (taken === null || tape === null) return null
      return { answer: tape.foreign.answer(taken), recorded: { at: taken.record }, isForeign: true }
    },
  }
}
