/**
 * Claude Code's session log (`~/.claude/projects/<folder>/<session>.jsonl`), as version 2.1 writes it.
 *
 * A prompt begins a run; the lines of one assistant message (one per content block, same message id) become
 * one `llm_completed` and one `tool_requested`; tool results become `tool_completed`, refused permissions
 * also `tool_denied`; sub agents become `agent_process_changed`, a compaction `compressed`. A run ends where
 * the model stopped, failed, or was interrupted; a log that breaks off has no end.
 *
 * Decision 0056.
 */
import { fieldsOf, isObject, listOf, textOf, type UnknownObject } from '../../base/index.ts'
import { createAssistantMessage, textOfContent } from './claude-message.ts'
import { createMapBuilder, type ImportedEvent, type LogImporter } from './log-importer.ts'
import { createRunTracker, time } from './run-tracker.ts'

const MM = { category: 'mm', primitive: 'mm' } as const
const PROC = { category: 'proc', primitive: 'sched' } as const

export function createClaudeCodeImporter(): LogImporter {
  const map = createMapBuilder()
  const run = createRunTracker()
  const seen = new Set<string>()
  const toolOfCall = new Map<string, { readonly name: string; readonly agent: UnknownObject | null }>()
  let message = createAssistantMessage(null)
  let compaction: { readonly action: string; readonly at: string | null } | null = null
  let session = ''
  /** The log of a sub agent holds sidechain records only; in a session's log they are copies. */
  let isSubagentLog: boolean | null = null

  const flushMessage = (): ImportedEvent[] => {
    const events = message.events(run)
    for (const call of message.calls)
      toolOfCall.set(call.id, {
        name: call.name,
        agent: isAgentTool(call.name) && isObject(call.arguments) ? call.arguments : null,
      })
    const processes = message.calls.flatMap((call) => agentEvent(call.id, 'running', null))
    message = createAssistantMessage(message.id)
    return [...events, ...processes]
  }

  const flushCompaction = (summary: string | null): ImportedEvent[] => {
    if (compaction === null) return []
    const { action, at } = compaction
    compaction = null
    const range = [0, Math.max(0, map.emitted - 1)] as const
    return [
      {
        kind: 'compressed',
        turn: run.turn,
        ...MM,
        archived_seq_range: range,
        action,
        ...(summary === null ? {} : { summary }),
        ...time(at),
      },
    ]
  }

  const agentEvent = (
    callId: string,
    state: string,
    at: string | null,
    result?: UnknownObject,
  ): ImportedEvent[] => {
    const input = toolOfCall.get(callId)?.agent
    if (input === null || input === undefined) return []
    const failed = state === 'failed'
    return [
      {
        kind: 'agent_process_changed',
        turn: run.turn,
        ...PROC,
        agent_id: callId,
        parent_session_id: session,
        role: textOf(input.subagent_type) ?? 'general-purpose',
        isolation: textOf(input.isolation) ?? 'shared',
        context_inheritance: 'none',
        state,
        ...(state === 'running' ? {} : { result_termination: failed ? 'error' : 'completed' }),
        ...(typeof result?.agentId === 'string' ? { log_agent_id: result.agentId } : {}),
        ...time(at),
      },
    ]
  }

  const onUser = (record: UnknownObject, at: string | null): ImportedEvent[] => {
    const content = isObject(record.message) ? record.message.content : undefined
    const results = listOf(content).filter(
      (block): block is UnknownObject => isObject(block) && block.type === 'tool_result',
    )
    if (results.length > 0)
      return [...flushMessage(), ...results.flatMap((block) => onToolResult(block, record, at))]
    const text = textOfContent(content)
    if (record.isCompactSummary === true) return [...flushMessage(), ...flushCompaction(text)]
    if (/^\[Request interrupted by user/.test(text))
      return [...flushMessage(), ...run.finish(at, 'user_abort')]
    return [
      ...flushMessage(),
      ...run.finish(at),
      ...run.start(textOf(record.promptId) ?? textOf(record.uuid) ?? '', text, at),
    ]
  }

  const onToolResult = (block: UnknownObject, record: UnknownObject, at: string | null): ImportedEvent[] => {
    const callId = textOf(block.tool_use_id) ?? ''
    const output = textOfContent(block.content)
    const tool = toolOfCall.get(callId)?.name ?? 'unknown'
    const denied = block.is_error === true && isRefusal(output)
    const detail = isObject(record.toolUseResult) ? record.toolUseResult : undefined
    const result = {
      call_id: callId,
      output,
      is_error: block.is_error === true,
      is_fatal: false,
      ...(denied ? { error_kind: 'governance_denied' as const } : {}),
      token_count: null,
    }
    const events: ImportedEvent[] = [
      ...(denied
        ? [
            {
              kind: 'tool_denied' as const,
              turn: run.turn,
              call_id: callId,
              tool_name: tool,
              reason: output,
              ...time(at),
            },
          ]
        : []),
      { kind: 'tool_completed', turn: run.turn, results: [result], ...time(at) },
      ...agentEvent(
        callId,
        block.is_error === true || detail?.status === 'failed' ? 'failed' : 'joined',
        at,
        detail,
      ),
    ]
    toolOfCall.delete(callId)
    return events
  }

  const onAssistant = (record: UnknownObject, at: string | null): ImportedEvent[] => {
    if (record.isApiErrorMessage === true) {
      run.ending = 'error'
      return flushMessage()
    }
    const before = message.isOther(record) ? flushMessage() : []
    message.add(record, at)
    run.ending = message.ending
    return before
  }

  const mapped = (record: UnknownObject, type: string): ImportedEvent[] => {
    const at = textOf(record.timestamp)
    session = textOf(record.sessionId) ?? session
    switch (type) {
      case 'user':
        return onUser(record, at)
      case 'assistant':
        return onAssistant(record, at)
      default: {
        const details = fieldsOf(record.compactMetadata)
        compaction = { action: details.trigger === 'manual' ? 'manual_compact' : 'auto_compact', at }
        return flushMessage()
      }
    }
  }

  return {
    push(record) {
      const type = typeName(record)
      const uuid = textOf(record.uuid)
      if (uuid !== null && seen.has(uuid)) {
        map.duplicate()
        return []
      }
      if (uuid !== null) seen.add(uuid)
      isSubagentLog ??= 'isSidechain' in record ? record.isSidechain === true : null
      const reason = reasonAgainst(record, isSubagentLog === true)
      if (reason !== null) {
        map.unmapped(type, reason)
        return []
      }
      const { as, part } = becomes(record, type)
      map.kept(part, as)
      return map.emit(mapped(record, type.split(' ')[0] ?? ''))
    },
    end: () => map.emit([...flushMessage(), ...flushCompaction(null), ...run.finish(null)]),
    map: map.map,
  }
}

function typeName(record: UnknownObject): string {
  const type = textOf(record.type) ?? '(no type)'
  if (type === 'system') return `system ${textOf(record.subtype) ?? ''}`.trim()
  if (type === 'attachment' && isObject(record.attachment))
    return `attachment ${textOf(record.attachment.type) ?? ''}`.trim()
  return type
}

/** Why a record is no session event; null if it is one. */
function reasonAgainst(record: UnknownObject, isSubagentLog: boolean): string | null {
  const type = typeName(record)
  if (type !== 'user' && type !== 'assistant' && type !== 'system compact_boundary')
    return 'no session event matches it'
  if (record.isSidechain === true && !isSubagentLog) return 'belongs to a sub agent: import its own log'
  if (record.isMeta === true) return 'written by the program, not by the user'
  if (
    type === 'user' &&
    record.isCompactSummary !== true &&
    /^\s*<(local-)?command-/.test(textOfContent(messageContent(record)))
  )
    return 'a command of the user interface'
  if (
    type === 'assistant' &&
    isObject(record.message) &&
    record.message.model === '<synthetic>' &&
    record.isApiErrorMessage !== true
  )
    return 'made up by the program'
  return null
}

/** What a mapped record turns into, for the map; its events may come with a later record. */
function becomes(
  record: UnknownObject,
  type: string,
): { readonly part: string; readonly as: readonly string[] } {
  if (type === 'system compact_boundary' || record.isCompactSummary === true)
    return { part: type === 'user' ? 'user (summary)' : type, as: ['compressed'] }
  const blocks = new Set(listOf(messageContent(record)).map((block) => (isObject(block) ? block.type : null)))
  if (type === 'assistant') {
    if (record.isApiErrorMessage === true) return { part: 'assistant (error)', as: ['run_terminal'] }
    return blocks.has('tool_use')
      ? { part: 'assistant (tool use)', as: ['llm_completed', 'tool_requested'] }
      : { part: 'assistant', as: ['llm_completed'] }
  }
  return blocks.has('tool_result')
    ? { part: 'user (tool result)', as: ['tool_completed'] }
    : { part: 'user (prompt)', as: ['run_started'] }
}

function messageContent(record: UnknownObject): unknown {
  return isObject(record.message) ? record.message.content : undefined
}

function isAgentTool(name: string): boolean {
  return name === 'Agent' || name === 'Task'
}

/** What a refused permission reads like in a tool result. */
function isRefusal(output: string): boolean {
  return /haven't granted it yet|user doesn't want to proceed|Permission to use .* (has been )?denied/.test(
    output,
  )
}
