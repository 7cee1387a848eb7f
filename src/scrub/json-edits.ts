/**
 * Edits JSON text span by span: white space, key order and the spelling of numbers stay. Checks field names,
 * decoded strings, JSON inside strings, and lists of numbers.
 *
 * Returns null for text that is not JSON, or is nested deeper than the scanner's limit. The caller then
 * treats it as plain text.
 */
import { JsonScanError, type JsonToken, type OpenContainers, scanWholeJson } from '../base/index.ts'
import { SHORTEST_CODES } from './code-alphabet.ts'
import type { Edit } from './edit.ts'
import type { FieldSecrets } from './field-secrets.ts'
import { decodeJsonString } from './json-string.ts'
import { RANK } from './rule.ts'
import type { Side } from './scrubber.ts'

type Frame = {
  key: string
  index: number
  readonly isArray: boolean
  readonly inherited: string | null
  /** `{"name": "API_TOKEN", "value": "…"}`: the name decides whether the value is a secret. */
  named: string | null
}

/** The frames at the end of a message: an object in a list that is a member of the whole. */
export type OpenFrames = readonly Readonly<Frame>[]

export type MessageWalk = {
  /** The text begins there; null if it is whole. */
  readonly from: OpenFrames | null
  readonly messageEnded: (at: number, frames: OpenFrames) => void
}

/**
 * Maximum depth of JSON in JSON strings: each level doubles the backslashes, so real data stays far below it.
 */
const MOST_LEVELS = 16

/**
 * The edits in order, or null if this is not JSON. A walk may begin after a message: what an earlier token
 * decides for a later one is in the frames.
 */
export function jsonEdits(
  text: string,
  side: Side,
  secrets: FieldSecrets,
  place: string,
  level = 0,
  walk?: MessageWalk,
): readonly Edit[] | null {
  const edits: Edit[] = []
  const frames: Frame[] = copyOf(walk?.from ?? [])
  // Consecutive numbers of a list: they may be the bytes of a secret.
  let numbers = { start: 0, end: 0, count: 0 }
  const endNumbers = (): void => {
    const { start, end, count } = numbers
    numbers = { start: 0, end: 0, count: 0 }
    if (count < SHORTEST_CODES) return
    for (const edit of secrets.textEdits(text.slice(start, end), side, pathOf(frames, place)))
      edits.push({ start: start + edit.start, end: start + edit.end, text: JSON.stringify(edit.text) })
  }
  const visit = (token: JsonToken): void => {
    const frame = frames[frames.length - 1]
    if (token.type !== 'number' && numbers.count > 0) endNumbers()
    switch (token.type) {
      case 'open-object':
      case 'open-array': {
        const name = secretNameOf(frame, side, secrets)
        if (frame?.isArray) frame.index += 1
        frames.push({
          key: '',
          index: -1,
          isArray: token.type === 'open-array',
          named: null,
          inherited: looksLikeSchema(text, token.start) ? null : name,
        })
        return
      }
      case 'close-object':
      case 'close-array':
        frames.pop()
        if (walk !== undefined && token.type === 'close-object' && isListOfMember(frames))
          walk.messageEnded(token.end, copyOf(frames))
        return
      case 'key': {
        const key = decodeJsonString(text.slice(token.start + 1, token.end - 1))
        for (const edit of secrets.textEdits(key.text, side, `${pathOf(frames, place)} key`))
          push(token.start + 1, key.at, edit)
        if (frame !== undefined) frame.key = key.text
        return
      }
      case 'string': {
        if (frame?.isArray) frame.index += 1
        const name = secretNameOf(frame, side, secrets)
        const value = decodeJsonString(text.slice(token.start + 1, token.end - 1))
        const here = pathOf(frames, place)
        if (frame !== undefined && side === 'sent' && isNameOfPair(frame.key))
          frame.named = secrets.isSecretName(value.text) ? value.text : null
        if (name !== null) {
          for (const edit of secrets.fieldEdits(name, value.text, side, here))
            push(token.start + 1, value.at, edit)
          return
        }
        const nested =
          level < MOST_LEVELS && /^\s*[[{]/.test(value.text)
            ? jsonEdits(value.text, side, secrets, here, level + 1)
            : null
        const least = frame !== undefined && secrets.isOpaque(frame.key) ? RANK.known : RANK.hint
        for (const edit of nested ?? secrets.textEdits(value.text, side, here, least))
          push(token.start + 1, value.at, edit)
        return
      }
      case 'number':
      case 'literal': {
        if (frame?.isArray) frame.index += 1
        const name = secretNameOf(frame, side, secrets)
        if (name === null || token.type === 'literal' || !secrets.coversNumbers(name)) {
          if (token.type === 'number' && frame?.isArray === true)
            numbers = {
              start: numbers.count === 0 ? token.start : numbers.start,
              end: token.end,
              count: numbers.count + 1,
            }
          return
        }
        const placeholder = secrets.wholeField(
          name,
          text.slice(token.start, token.end),
          pathOf(frames, place),
        )
        edits.push({ start: token.start, end: token.end, text: JSON.stringify(placeholder) })
        return
      }
    }
  }
  const push = (base: number, at: (index: number) => number, edit: Edit): void => {
    edits.push({
      start: base + at(edit.start),
      end: base + at(edit.end),
      text: JSON.stringify(edit.text).slice(1, -1),
    })
  }
  try {
    scanWholeJson(text, visit, walk === undefined || walk.from === null ? [] : IN_LIST)
  } catch (error) {
    if (error instanceof JsonScanError) return null
    throw error
  }
  return edits
}

const IN_LIST: OpenContainers = ['object', 'array']

function copyOf(frames: OpenFrames): Frame[] {
  return frames.map((frame) => ({ ...frame }))
}

function isListOfMember([whole, list, ...deeper]: readonly Frame[]): boolean {
  return whole?.isArray === false && list?.isArray === true && deeper.length === 0
}

function secretNameOf(frame: Frame | undefined, side: Side, secrets: FieldSecrets): string | null {
  if (frame === undefined) return null
  if (frame.isArray) return frame.inherited
  if (frame.named !== null && frame.key.toLowerCase() === 'value') return frame.named
  return secrets.isSecret(frame.key, side) ? frame.key : frame.inherited
}

function isNameOfPair(key: string): boolean {
  return /^(?:name|key|variable|envvar)$/i.test(key)
}

/** A tool's input schema has a property called `password`; its value is a description. */
function looksLikeSchema(text: string, at: number): boolean {
  return /^\{\s*"(?:type|description|title|enum|format|anyOf|oneOf|allOf|default|const|\$ref)"/.test(
    text.slice(at, at + 120),
  )
}

function pathOf(frames: readonly Frame[], place: string): string {
  let path = place === '' ? '$' : place
  for (const frame of frames) {
    if (frame.isArray) path += `[${Math.max(0, frame.index)}]`
    else path += /^[A-Za-z_][\w-]*$/.test(frame.key) ? `.${frame.key}` : `[${JSON.stringify(frame.key)}]`
    if (path.length > 300) return `${path.slice(0, 300)}…`
  }
  return path
}
