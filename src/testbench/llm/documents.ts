/**
 * The JSON documents of an answer, in order: one for a whole answer, one per event of a stream (server-sent events, lines of JSON, or one list). What
 * a cut stream leaves of its last document is no document.
 */
import type { Json } from '../../base/index.ts'
import { isObject, type JsonObject, parsed } from './shape.ts'

export function answerDocuments(text: string): readonly JsonObject[] {
  const whole = parsed(text)
  if (whole !== undefined) return (Array.isArray(whole) ? whole : [whole]).filter(isObject)
  return /^\s*[[{]/.test(text) ? linesOf(text) : eventsOf(text)
}

function linesOf(text: string): readonly JsonObject[] {
  // Gemini's list without `alt=sse` has its commas and brackets on lines of their own when it is cut.
  return documentsIn(text.split(/\r?\n/).map((line) => line.replace(/^[\s,[]+/, '').replace(/[\s,\]]+$/, '')))
}

/** An event's data may stand on several lines; an empty line ends it. Anything but data is of no use here. */
function eventsOf(text: string): readonly JsonObject[] {
  return documentsIn(
    text.split(/(?:\r\n|\n|\r){2}/).map((event) =>
      event
        .split(/\r\n|\n|\r/)
        .filter((line) => line.startsWith('data:'))
        .map((line) => line.slice(5).replace(/^ /, ''))
        .join('\n'),
    ),
  )
}

function documentsIn(texts: readonly string[]): readonly JsonObject[] {
  return texts.flatMap((text): readonly JsonObject[] => {
    const value: Json | undefined = text.startsWith('{') ? parsed(text) : undefined
    return isObject(value) ? [value] : []
  })
}
