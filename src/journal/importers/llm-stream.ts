/** Puts a recorded stream of server-sent events together into the body that the same call would have given unstreamed. Null if it is no such stream. */
import { fieldsOf, isObject, jsonOf, listOf, textOf, type UnknownObject } from '../../base/index.ts'

export function assembleStream(text: string): UnknownObject | null {
  const events = text
    .split(/\r?\n/)
    .filter((line) => line.startsWith('data:'))
    .flatMap((line) => parsed(line.slice(5).trim()))
  if (events.length === 0) return null
  const whole = events.find((event) => event.type === 'response.completed' && isObject(event.response))
  if (isObject(whole?.response)) return whole.response
  return events.some((event) => Array.isArray(event.choices)) ? chatBody(events) : anthropicBody(events)
}

function parsed(text: string): UnknownObject[] {
  // Not an object: `[DONE]`, or a line that the recording cut off.
  const value = jsonOf(text)
  return isObject(value) ? [value] : []
}

type OpenCall = { id: string; name: string; arguments: string }

function chatBody(events: readonly UnknownObject[]): UnknownObject {
  let content = ''
  const calls: OpenCall[] = []
  for (const delta of events
    .flatMap((event) => listOf(event.choices))
    .flatMap((choice) => (isObject(choice) && isObject(choice.delta) ? [choice.delta] : []))) {
    content += textOf(delta.content) ?? ''
    for (const part of listOf(delta.tool_calls).filter(isObject)) {
      const index = typeof part.index === 'number' && part.index >= 0 && part.index < 1000 ? part.index : calls.length
      const asked = fieldsOf(part.function)
      const call = calls[index] ?? { id: '', name: '', arguments: '' }
      calls[index] = {
        id: call.id + (textOf(part.id) ?? ''),
        name: call.name + (textOf(asked.name) ?? ''),
        arguments: call.arguments + (textOf(asked.arguments) ?? ''),
      }
    }
  }
  const usage = events.findLast((event) => isObject(event.usage))?.usage
  return { choices: [{ message: { content, tool_calls: calls.filter(Boolean).map(({ id, ...asked }) => ({ id, function: asked })) } }], usage }
}

function anthropicBody(events: readonly UnknownObject[]): UnknownObject | null {
  const blocks: Record<string, unknown>[] = []
  let usage: UnknownObject = {}
  for (const event of events) {
    const index = typeof event.index === 'number' && event.index >= 0 && event.index < 10_000 ? event.index : 0
    if (event.type === 'message_start' && isObject(event.message) && isObject(event.message.usage)) usage = { ...event.message.usage }
    if (event.type === 'message_delta' && isObject(event.usage)) usage = { ...usage, ...event.usage }
    if (event.type === 'content_block_start' && isObject(event.content_block)) blocks[index] = { ...event.content_block, json: '' }
    const block = blocks[index]
    if (event.type !== 'content_block_delta' || block === undefined || !isObject(event.delta)) continue
    if (typeof event.delta.text === 'string') block.text = (textOf(block.text) ?? '') + event.delta.text
    if (typeof event.delta.partial_json === 'string') block.json = (textOf(block.json) ?? '') + event.delta.partial_json
  }
  if (blocks.length === 0) return null
  const content = blocks
    .filter(Boolean)
    .map(({ json, ...block }) => (block.type === 'tool_use' ? { ...block, input: parsed(textOf(json) ?? '')[0] ?? block.input ?? {} } : block))
  return { content, usage }
}
