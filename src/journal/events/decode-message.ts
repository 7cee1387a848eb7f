/**
 * Decodes what a conversation is made of: messages, content parts, tool calls and tool results, with path and
 * reason for each problem.
 */
import { isObject, isU32, type UnknownObject } from '../../base/index.ts'
import { type EventProblem, wrong } from './problems.ts'

export function decodeMessage(value: unknown, path: string, problems: EventProblem[]): unknown {
  if (!isObject(value)) return wrong(value, 'an object', path, problems)
  if (typeof value.role !== 'string') wrong(value.role, 'a string', `${path}.role`, problems)
  const message: Record<string, unknown> = {
    role: value.role,
    content: decodeContent(value.content, `${path}.content`, problems),
  }
  const calls =
    value.tool_calls === undefined ? [] : decodeToolCalls(value.tool_calls, `${path}.tool_calls`, problems)
  if (Array.isArray(calls) && calls.length > 0) message.tool_calls = calls
  const tokens = value.token_count ?? undefined
  if (tokens !== undefined && !isU32(tokens)) wrong(tokens, 'a whole number', `${path}.token_count`, problems)
  if (tokens !== undefined) message.token_count = tokens
  return keepRest(message, value, ['tool_calls', 'token_count'])
}

function decodeContent(value: unknown, path: string, problems: EventProblem[]): unknown {
  if (typeof value === 'string') return value
  if (!Array.isArray(value)) return wrong(value, 'a string or an array of parts', path, problems)
  value.forEach((part: unknown, at) => {
    checkPart(part, `${path}[${at}]`, problems)
  })
  return value
}

const PART_STRINGS: Readonly<Record<string, readonly string[]>> = {
  text: ['text'],
  image: [],
  audio: ['data', 'media_type'],
  tool_result: ['call_id', 'output'],
}

/** A part of an unknown type is kept; one of a known type must have what that type needs. */
function checkPart(part: unknown, path: string, problems: EventProblem[]): void {
  if (!isObject(part)) {
    wrong(part, 'an object', path, problems)
    return
  }
  if (typeof part.type !== 'string') {
    wrong(part.type, 'a string', `${path}.type`, problems)
    return
  }
  const names = Object.hasOwn(PART_STRINGS, part.type) ? (PART_STRINGS[part.type] ?? []) : []
  for (const name of names)
    if (typeof part[name] !== 'string') wrong(part[name], 'a string', `${path}.${name}`, problems)
  if (part.type === 'tool_result' && typeof part.is_error !== 'boolean')
    wrong(part.is_error, 'true or false', `${path}.is_error`, problems)
}

export function decodeToolCalls(value: unknown, path: string, problems: EventProblem[]): unknown {
  if (!Array.isArray(value)) return wrong(value, 'an array', path, problems)
  return value.map((call: unknown, at) => {
    const here = `${path}[${at}]`
    if (!isObject(call)) return wrong(call, 'an object', here, problems)
    if (typeof call.id !== 'string') wrong(call.id, 'a string', `${here}.id`, problems)
    if (typeof call.name !== 'string') wrong(call.name, 'a string', `${here}.name`, problems)
    if (call.arguments === undefined) problems.push({ path: `${here}.arguments`, reason: 'is missing' })
    return keepRest({ id: call.id, name: call.name, arguments: call.arguments }, call, [])
  })
}

export function decodeToolResults(value: unknown, path: string, problems: EventProblem[]): unknown {
  if (!Array.isArray(value)) return wrong(value, 'an array', path, problems)
  return value.map((result: unknown, at) => decodeToolResult(result, `${path}[${at}]`, problems))
}

function decodeToolResult(result: unknown, path: string, problems: EventProblem[]): unknown {
  if (!isObject(result)) return wrong(result, 'an object', path, problems)
  if (typeof result.call_id !== 'string') wrong(result.call_id, 'a string', `${path}.call_id`, problems)
  const output = decodeContent(result.output, `${path}.output`, problems)
  if (typeof result.is_error !== 'boolean')
    wrong(result.is_error, 'true or false', `${path}.is_error`, problems)
  const fatal = result.is_fatal ?? false
  if (typeof fatal !== 'boolean') wrong(fatal, 'true or false', `${path}.is_fatal`, problems)
  const decoded: Record<string, unknown> = {
    call_id: result.call_id,
    output,
    is_error: result.is_error,
    is_fatal: fatal,
  }
  const errorKind = result.error_kind ?? undefined
  if (errorKind !== undefined) {
    if (typeof errorKind !== 'string') wrong(errorKind, 'a string', `${path}.error_kind`, problems)
    decoded.error_kind = errorKind
  }
  const tokens = result.token_count ?? null
  if (tokens !== null && !isU32(tokens)) wrong(tokens, 'a whole number', `${path}.token_count`, problems)
  decoded.token_count = tokens
  return keepRest(decoded, result, ['error_kind'])
}

/**
 * Adds the fields that the decoder does not know, so that nothing of the input is dropped. `handled` were
 * read and left out on purpose.
 */
function keepRest(
  target: Record<string, unknown>,
  source: UnknownObject,
  handled: readonly string[],
): UnknownObject {
  for (const name of Object.keys(source)) {
    if (Object.hasOwn(target, name) || handled.includes(name)) continue
    Object.defineProperty(target, name, {
      value: source[name],
      enumerable: true,
      configurable: true,
      writable: true,
    })
  }
  return target
}
