/**
 * Small readings of Codex's response items: their text, whether the program rather than the user wrote them,
 * whether a tool's output reports a failure.
 */
import { isObject, listOf, numberOf, textOf, type UnknownObject } from '../../base/index.ts'
import type { Usage } from './log-importer.ts'

export function itemText(part: unknown): string {
  return isObject(part) ? (textOf(part.text) ?? '') : typeof part === 'string' ? part : ''
}

/**
 * Codex puts instructions and the environment into user messages of its own; newer logs mark them, in older
 * ones only the opening tag shows it.
 */
export function isHarnessText(item: UnknownObject): boolean {
  const passed = item.internal_chat_message_metadata_passthrough
  const kinds = isObject(passed) ? listOf(passed.content_item_kinds) : []
  if (kinds.length > 0) return !kinds.includes('user.text')
  const text = itemText(listOf(item.content)[0])
  return /^\s*(<(environment_context|user_instructions|permissions|skills_instructions|turn_aborted)|# AGENTS\.md)/.test(
    text,
  )
}

/**
 * A command's output begins with a line on how it ended; older versions wrap it in JSON with an exit code.
 */
export function failsByItsText(output: string): boolean {
  const exit =
    /^Process exited with code (\d+)$/m.exec(output.slice(0, 500)) ??
    /"exit_code":\s*(\d+)/.exec(output.slice(0, 20_000))
  if (exit !== null) return exit[1] !== '0'
  return /^(unsupported call:|failed to parse function arguments)/.test(output)
}

export function usageOfTokens(usage: UnknownObject, model: string): Usage {
  return {
    model,
    input_tokens: numberOf(usage.input_tokens) ?? 0,
    output_tokens: numberOf(usage.output_tokens) ?? 0,
    cache_read_tokens: numberOf(usage.cached_input_tokens) ?? 0,
    cache_write_tokens: numberOf(usage.cache_write_input_tokens) ?? 0,
  }
}
