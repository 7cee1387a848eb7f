/**
 * Our own tapes. A tape holds what reached a program, not what its agent meant, so the map is short: the
 * header begins a run and the seal ends it; model calls become `llm_completed` and `tool_requested`;
 * subprocesses and MCP tool calls become a tool request with its result. Clock, randomness, environment,
 * files and plain HTTP have no session event.
 */
import { fieldsOf, isObject, jsonOf, textOf } from '../../base/index.ts'
import { isRepriseError } from '../../errors/index.ts'
import { dateFrom } from '../../real/index.ts'
import { readCasEntry } from '../../tape/cas.ts'
import type { Payload } from '../../tape/fields.ts'
import type { TapeHeader } from '../../tape/header.ts'
import { type Kind, kindName } from '../../tape/kinds.ts'
import type { TapeRecord } from '../../tape/record.ts'
import { shownHeader } from '../../tape/root-names.ts'
import type { ToolCall } from '../events/fields.ts'
import { readAnswer, usageOf } from './llm-response.ts'
import { createMapBuilder, type ImportedEvent, type ImportMap } from './log-importer.ts'
import { modelCallEvents } from './model-call.ts'
import { createRunTracker } from './run-tracker.ts'

export type TapeImporter = {
  header(header: TapeHeader): readonly ImportedEvent[]
  record(record: TapeRecord): readonly ImportedEvent[]
  map(): ImportMap
}

export function createTapeImporter(path: string): TapeImporter {
  const map = createMapBuilder()
  const run = createRunTracker()
  let missing = 0

  const textOfPayload = (payload: Payload): string => {
    if (payload.form === 'inline') return payload.text
    try {
      return Buffer.from(readCasEntry(path, payload.contentHash, payload.lenBytes)).toString('utf8')
    } catch (error) {
      if (!isRepriseError(error)) throw error
      missing += 1
      return ''
    }
  }

  const onLlmCall = (call: Kind<'llm_call'>, at: string): ImportedEvent[] => {
    const answer = readAnswer(textOfPayload(call.response))
    const reported = answer.usage ?? usageOf(call.usage)
    const usage = reported === null ? null : { model: call.model ?? '', ...reported }
    run.called(usage)
    return modelCallEvents({ turn: run.turn, content: answer.content, calls: answer.calls, usage, at })
  }

  const tool = (call: ToolCall, output: string, isError: boolean, at: string): ImportedEvent[] => [
    { kind: 'tool_requested', turn: run.turn, calls: [call], at },
    {
      kind: 'tool_completed',
      turn: run.turn,
      results: [{ call_id: call.id, output, is_error: isError, is_fatal: false, token_count: null }],
      at,
    },
  ]

  const mapped = ({ seq, kind, virtualTimeMs }: TapeRecord): ImportedEvent[] | null => {
    const at = isoTime(virtualTimeMs)
    switch (kind.kind) {
      case 'llm_call':
        return onLlmCall(kind, at)
      case 'process_spawn': {
        const output = [kind.stdoutPayload, kind.stderrPayload].map(textOfPayload).filter(Boolean).join('\n')
        return tool(
          { id: `record-${seq}`, name: kind.program, arguments: { args: [...kind.args] } },
          output,
          kind.exitCode !== 0,
          at,
        )
      }
      case 'mcp_json_rpc': {
        if (kind.method !== 'tools/call') return null
        const request = fieldsOf(jsonOf(textOfPayload(kind.requestPayload)))
        const response = fieldsOf(jsonOf(textOfPayload(kind.responsePayload)))
        const params = fieldsOf(request.params)
        const result = fieldsOf(response.result)
        const call = {
          id: `record-${seq}`,
          name: `${kind.server}/${textOf(params.name) ?? '?'}`,
          arguments: (params.arguments ?? {}) as ToolCall['arguments'],
        }
        return tool(
          call,
          JSON.stringify(response.result ?? response.error ?? null),
          response.error !== undefined || result.isError === true,
          at,
        )
      }
      case 'tape_seal': {
        const code = isObject(kind.exit) ? kind.exit.code : null
        return run.finish(at, code === 0 || code === null ? 'completed' : 'error')
      }
      default:
        return null
    }
  }

  return {
    header(read) {
      const header = shownHeader(read)
      const goal = (header.command ?? [header.scriptPath ?? '', ...header.argv]).filter(Boolean).join(' ')
      const began = header.startedAtUnixMs === null ? null : isoTime(header.startedAtUnixMs)
      const events = run.start(`tape-${header.startedAtUnixMs ?? 0}`, goal, began)
      map.kept('header', ['run_started'])
      return map.emit(events)
    },
    record(record) {
      const name = kindName(record.kind)
      const before = missing
      const events = mapped(record)
      if (events === null) map.unmapped(name, 'no session event matches it')
      else
        map.kept(
          missing > before ? `${name} (payload missing)` : name,
          events.map(({ kind }) => kind),
        )
      return map.emit(events ?? [])
    },
    map: map.map,
  }
}

/** A tape may claim any number; a date goes no further than this. */
function isoTime(ms: number): string {
  return dateFrom(Math.max(-8.64e15, Math.min(8.64e15, ms))).toISOString()
}
