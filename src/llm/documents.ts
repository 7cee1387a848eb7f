/**
 * The JSON documents of an answer, in order: one for a whole answer, one per event of a stream (server-sent
 * events, lines of JSON, or one list). What a cut stream leaves of its last document is no document.
 */

import { eventsIn, isObject, type Json, type JsonObject, jsonOf, objectsOf } from '../base/index.ts'
import { eventStreamDocuments, isEventStream } from './aws-event-stream.ts'

/** The same for the bytes of an answer, which may be a binary stream of events. */
export function bodyDocuments(bytes: Uint8Array): readonly JsonObject[] {
  if (isEventStream(bytes)) return eventStreamDocuments(bytes)
  return answerDocuments(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8'))
}

export function answerDocuments(text: string): readonly JsonObject[] {
  // An error of `JSON.parse` takes 60 microseconds in a deep stack: events are no JSON by their first character.
  if (!/^\s*[[{]/.test(text)) return documentsIn(eventsIn(text).map(({ data }) => data))
  const whole = jsonOf(text)
  if (whole === undefined) return linesOf(text)
  return isObject(whole) ? [whole] : objectsOf(whole)
}

function linesOf(text: string): readonly JsonObject[] {
  // Gemini's list without `alt=sse` has its commas and brackets on lines of their own when it is cut.
  return documentsIn(text.split(/\r?\n/).map((line) => line.replace(/^[\s,[]+/, '').replace(/[\s,\]]+$/, '')))
}

function documentsIn(texts: readonly string[]): readonly JsonObject[] {
  return texts.flatMap((text): readonly JsonObject[] => {
    const value: Json | undefined = text.startsWith('{') ? jsonOf(text) : undefined
    return isObject(value) ? [value] : []
  })
}
