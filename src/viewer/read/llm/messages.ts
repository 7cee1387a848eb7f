/**
 * A request to a model as a conversation, whatever API it is for: OpenAI chat completions and responses,
 * Anthropic messages, Gemini, Ollama. A part of an unknown shape is kept as JSON.
 */
import type { LlmRequest, Message, MessagePart } from '../../protocol/details.ts'
import { isWireObject, listOf, objectOf, shown, textOf, type WireObject } from '../wire.ts'

export function conversationOf(body: WireObject): Omit<LlmRequest, 'json'> {
  const list = ['messages', 'input', 'contents'].find((name) => Array.isArray(body[name])) ?? null
  const all = list === null ? [] : listOf(body[list]).map((item) => messageOf(objectOf(item)))
  const single = list === null ? (textOf(body.input) ?? textOf(body.prompt)) : null
  const messages =
    single === null ? all : [{ role: 'user', parts: [{ type: 'text' as const, text: single }] }]
  const isSystem = ({ role }: Message): boolean => role === 'system' || role === 'developer'
  const system = partsOf(
    body.system ?? body.instructions ?? body.systemInstruction ?? body.system_instruction,
  )
  const used = new Set([
    list,
    'system',
    'instructions',
    'systemInstruction',
    'system_instruction',
    'tools',
    single === null ? null : 'input',
    single === null ? null : 'prompt',
  ])
  return {
    system: [...system, ...messages.filter(isSystem).flatMap(({ parts }) => parts)],
    messages: messages.filter((message) => !isSystem(message)),
    tools: listOf(body.tools).flatMap(toolsOf),
    options: Object.entries(body).flatMap(([name, value]) =>
      used.has(name) ? [] : [{ name, json: JSON.stringify(value) }],
    ),
  }
}

function messageOf(item: WireObject): Message {
  const type = textOf(item.type)
  // Items of the responses API that are no messages.
  if (type === 'function_call' || type === 'custom_tool_call') {
    return {
      role: 'assistant',
      parts: [toolCall(item.call_id ?? item.id, item.name, item.arguments ?? item.input)],
    }
  }
  if (type === 'function_call_output' || type === 'custom_tool_call_output') {
    return { role: 'tool', parts: [toolResult(item.call_id, null, item.output, false)] }
  }
  if (type === 'reasoning') {
    const text = listOf(item.summary)
      .map((part) => shown(objectOf(part).text))
      .join('\n')
    return { role: 'assistant', parts: [{ type: 'thinking', text }] }
  }
  const role = textOf(item.role) ?? 'unknown'
  if (role === 'tool')
    return { role, parts: [toolResult(item.tool_call_id, item.name ?? item.tool_name, item.content, false)] }
  const thinking = textOf(item.thinking) ?? textOf(item.reasoning_content) ?? textOf(item.reasoning)
  return {
    role: role === 'model' ? 'assistant' : role,
    parts: [
      ...(thinking === null || thinking === '' ? [] : [{ type: 'thinking' as const, text: thinking }]),
      ...partsOf(item.content ?? item.parts),
      ...listOf(item.tool_calls).map((call) => chatToolCall(objectOf(call))),
      ...listOf(item.images).map((image) => other('image', image)),
    ],
  }
}

/** The content of a message: a text, one part, or a list of parts. */
function partsOf(content: unknown): MessagePart[] {
  if (content === undefined || content === null) return []
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }]
  if (Array.isArray(content)) return content.flatMap((part) => partOf(part))
  const { parts } = objectOf(content)
  return Array.isArray(parts) ? parts.flatMap((part) => partOf(part)) : partOf(content)
}

function partOf(part: unknown): MessagePart[] {
  if (typeof part === 'string') return [{ type: 'text', text: part }]
  if (!isWireObject(part)) return [other('unknown', part)]
  const type = textOf(part.type)
  switch (type) {
    case 'text':
    case 'input_text':
    case 'output_text':
      return [{ type: 'text', text: shown(part.text) }]
    case 'thinking':
      return [{ type: 'thinking', text: shown(part.thinking) }]
    case 'redacted_thinking':
      return [{ type: 'thinking', text: '(encrypted by the provider)' }]
    case 'tool_use':
    case 'server_tool_use':
      return [toolCall(part.id, part.name, part.input)]
    case 'tool_result':
      return [toolResult(part.tool_use_id, null, part.content, part.is_error === true)]
    case 'refusal':
      return [{ type: 'text', text: shown(part.refusal) }]
    case null:
      return [geminiPart(part)]
    default:
      return [other(type, part)]
  }
}

function geminiPart(part: WireObject): MessagePart {
  if (typeof part.text === 'string')
    return { type: part.thought === true ? 'thinking' : 'text', text: part.text }
  const call = part.functionCall ?? part.function_call
  if (isWireObject(call)) return toolCall(call.id, call.name, call.args)
  const answer = part.functionResponse ?? part.function_response
  if (isWireObject(answer)) return toolResult(answer.id, answer.name, answer.response, false)
  return other(Object.keys(part)[0] ?? 'unknown', part)
}

function chatToolCall(call: WireObject): MessagePart {
  const { name, arguments: args } = objectOf(call.function)
  return toolCall(call.id, name ?? call.name, args ?? call.arguments)
}

export function toolCall(id: unknown, name: unknown, args: unknown): MessagePart {
  return { type: 'tool_call', id: textOf(id), name: textOf(name) ?? 'unknown', arguments: shown(args) }
}

function toolResult(id: unknown, name: unknown, content: unknown, error: boolean): MessagePart {
  const text = typeof content === 'string' ? content : partsOf(content).map(partText).join('\n')
  return {
    type: 'tool_result',
    id: textOf(id),
    name: textOf(name),
    text: text === '' ? shown(content) : text,
    error,
  }
}

function partText(part: MessagePart): string {
  return 'text' in part ? part.text : 'json' in part ? part.json : part.arguments
}

function other(what: string, value: unknown): MessagePart {
  return { type: 'other', what, json: JSON.stringify(value) ?? '' }
}

type Tool = LlmRequest['tools'][number]

function toolsOf(tool: unknown): Tool[] {
  const item = objectOf(tool)
  const declared = item.functionDeclarations ?? item.function_declarations
  if (Array.isArray(declared)) return declared.flatMap(toolsOf)
  const inner = isWireObject(item.function) ? item.function : item
  const schema =
    inner.input_schema ?? inner.parameters ?? inner.parametersJsonSchema ?? inner.inputSchema ?? {}
  return [
    {
      name: textOf(inner.name) ?? textOf(item.type) ?? 'unknown',
      description: shown(inner.description),
      schema: JSON.stringify(schema),
    },
  ]
}
