/**
 * A handle that was written as JSON, read back: upstream's `state_handle`, with its errors for a wrong one.
 */
import { isObject, parseJson, type UnknownObject } from '../base/index.ts'
import { RepriseError } from '../errors/index.ts'
import { type Writer, writerFromWire } from './writer.ts'

export type SerialisedHandle = {
  readonly root: string
  readonly sessionId: string
  readonly conflictPolicy: string
  /** Without an instance: the handle that is opened has one of its own. */
  readonly writer: Writer | null
}

/** `value` is what `toJSON` of a handle gave, or the text of it. */
export function readSerialisedHandle(value: unknown): SerialisedHandle {
  if (value === undefined || value === null) throw invalid('agent_state.open: `handle` is required')
  const wire = typeof value === 'string' ? parsed(value) : value
  if (!isObject(wire) || wire._type !== 'state_handle')
    throw invalid('agent_state.open: `handle` must be a state_handle dict')
  return {
    root: text(wire, 'root'),
    sessionId: text(wire, 'session_id'),
    conflictPolicy: typeof wire.conflict_policy === 'string' ? wire.conflict_policy : '',
    writer: writerFromWire(wire.writer, null),
  }
}

function parsed(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    // Not JSON, so not a handle: the caller throws upstream's message.
    return null
  }
}

function text(wire: UnknownObject, name: string): string {
  const value = wire[name]
  const shown = typeof value === 'number' || typeof value === 'boolean' ? String(value) : value
  if (typeof shown === 'string' && shown !== '') return shown
  throw invalid(`state_handle is missing \`${name}\``)
}

function invalid(message: string): RepriseError {
  return new RepriseError('state-handle-invalid', message, { hint: 'give what toJSON of a handle returned' })
}
