/**
 * A streamed answer as it arrived: the text of each chunk, with its time. Understands server-sent events and
 * JSON lines of the five APIs; an event of an unknown shape has no text.
 */
import type { StreamPiece } from '../../protocol/details.ts'
import { listOf, objectOf, parsed, textOf, type WireObject } from '../wire.ts'

export type TimedBytes = { readonly afterMs: number; readonly bytes: Uint8Array }

export function streamPieces(chunks: readonly TimedBytes[]): StreamPiece[] {
  const decoder = new TextDecoder()
  const pieces: StreamPiece[] = []
  let rest = ''
  for (const { afterMs, bytes } of chunks) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) for (const piece of piecesOf(line)) pieces.push({ afterMs, ...piece })
  }
  const last = chunks.at(-1)
  if (last !== undefined) for (const piece of piecesOf(rest)) pieces.push({ afterMs: last.afterMs, ...piece })
  return pieces
}

type Piece = Omit<StreamPiece, 'afterMs'>

function piecesOf(line: string): Piece[] {
  const json = line.startsWith('data:') ? line.slice(5).trim() : line.trim()
  if (!json.startsWith('{')) return []
  return textsOf(objectOf(parsed(json))).filter(({ text }) => text !== '')
}

function textsOf(event: WireObject): Piece[] {
  const delta = objectOf(event.delta)
  switch (event.type) {
    case 'content_block_delta':
      return [
        ...piece('text', delta.text),
        ...piece('thinking', delta.thinking),
        ...piece('tool', delta.partial_json),
      ]
    case 'response.output_text.delta':
      return piece('text', event.delta)
    case 'response.reasoning_text.delta':
    case 'response.reasoning_summary_text.delta':
      return piece('thinking', event.delta)
    case 'response.function_call_arguments.delta':
      return piece('tool', event.delta)
  }
  if (Array.isArray(event.choices)) return chatTexts(objectOf(objectOf(event.choices[0]).delta))
  if (Array.isArray(event.candidates)) {
    return listOf(objectOf(objectOf(event.candidates[0]).content).parts).flatMap((part) => {
      const { text, thought } = objectOf(part)
      return piece(thought === true ? 'thinking' : 'text', text)
    })
  }
  const message = objectOf(event.message)
  return [
    ...piece('thinking', message.thinking),
    ...piece('text', message.content),
    ...piece('text', event.response),
  ]
}

function chatTexts(delta: WireObject): Piece[] {
  const tools = listOf(delta.tool_calls).flatMap((call) =>
    piece('tool', objectOf(objectOf(call).function).arguments),
  )
  return [
    ...piece('thinking', delta.reasoning_content ?? delta.reasoning),
    ...piece('text', delta.content),
    ...tools,
  ]
}

function piece(channel: Piece['channel'], text: unknown): Piece[] {
  return textOf(text) === null ? [] : [{ channel, text: textOf(text) ?? '' }]
}
