/** A call of a model as a conversation: the whole request, the answer, and the answer as it streamed. */
import { NONE, type RowEntry } from '../../layout/rows.ts'
import type { LlmRequest, LlmView, StreamPiece } from '../../protocol/details.ts'
import { bytesOf, errorOrNull, textContent, textOfPayload } from '../contents.ts'
import { answerParts, usageOf } from '../llm/answer.ts'
import { conversationOf } from '../llm/messages.ts'
import { streamPieces, type TimedBytes } from '../llm/stream.ts'
import { wholeRequest } from '../llm/whole-request.ts'
import { selectRows } from '../selection.ts'
import type { TapeIndexReader } from '../tape-index.ts'
import { listOf, numberOf, objectOf, parsed, textOf, type WireObject } from '../wire.ts'
import { effectRows, kindOfRow } from './effect-rows.ts'

const MAX_ANSWER_BYTES = 16 * 1024 * 1024
const MAX_CHUNKS = 5000

export async function llmView(
  index: TapeIndexReader,
  row: number,
  entry: RowEntry,
  kind: WireObject,
): Promise<LlmView> {
  const answer = objectOf(parsed((await textOfPayload(index, kind.response, MAX_ANSWER_BYTES)) ?? ''))
  const whole = await wholeRequest(index, row, (payload) => textOfPayload(index, payload, MAX_ANSWER_BYTES))
  const calls = await selectRows(index, { kinds: ['llm_call'] })
  const previousRow = entry.previous === NONE ? null : entry.previous
  const request: LlmRequest | null =
    whole === null
      ? null
      : { ...conversationOf(whole.body), json: textContent(JSON.stringify(whole.body, null, 2)) }
  return {
    type: 'llm',
    turn: (await calls.position(row)).position + 1,
    provider: textOf(kind.provider) ?? textOf(answer.provider),
    model: textOf(kind.model) ?? textOf(answer.model),
    request,
    answer: answerParts(answer),
    stopReason: textOf(answer.stop_reason),
    usage: usageOf(answer, kind.usage),
    error: errorOrNull(kind.error),
    stream: entry.effect === NONE ? [] : await streamOf(index, entry.effect),
    previousRow,
    messagesKept:
      request === null || previousRow === null ? 0 : await sharedMessages(index, previousRow, request),
  }
}

/** Messages at the start that both requests have. */
async function sharedMessages(
  index: TapeIndexReader,
  previousRow: number,
  request: LlmRequest,
): Promise<number> {
  const before = await wholeRequest(index, previousRow, (payload) =>
    textOfPayload(index, payload, MAX_ANSWER_BYTES),
  )
  if (before === null) return 0
  const { messages } = conversationOf(before.body)
  let kept = 0
  while (kept < Math.min(messages.length, request.messages.length)) {
    if (JSON.stringify(messages[kept]) !== JSON.stringify(request.messages[kept])) return kept
    kept += 1
  }
  return kept
}

async function streamOf(index: TapeIndexReader, start: number): Promise<StreamPiece[]> {
  const { rows } = await effectRows(index, start, MAX_CHUNKS)
  const startMs = rows[0]?.entry.atMs ?? 0
  const chunks: TimedBytes[] = []
  for (const { entry, kind } of rows) {
    if (kind !== 'stream_chunk' && kind !== 'stream_end') continue
    const record = await kindOfRow(index, entry)
    if (record.direction === 'out') continue
    const bytes = await bytesOf(index, record.data ?? record.tail, MAX_ANSWER_BYTES)
    const afterMs = entry.atMs - startMs
    if (bytes !== null)
      for (const part of partsOf(bytes, listOf(record.parts))) chunks.push({ afterMs, bytes: part })
  }
  return chunks.length < 2 ? [] : streamPieces(chunks)
}

/** The chunks that share a record. */
function partsOf(bytes: Uint8Array, lengths: readonly unknown[]): readonly Uint8Array[] {
  let end = 0
  const parts = lengths.map((length) => {
    const start = end
    end += numberOf(length) ?? 0
    return bytes.subarray(start, end)
  })
  return lengths.length > 0 && end === bytes.length ? parts : [bytes]
}
