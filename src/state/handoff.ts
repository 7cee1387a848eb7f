/**
 * The handoff: what one agent leaves for the next, under the key `__handoff.json`.
 *
 * The envelope is upstream's, field for field, keys sorted. Its `handoff` is the typed form: sender,
 * receiver, task, reason, evidence and open points. It has our fields, or Harn's (`artifact`). Both are
 * checked when written and when read.
 */
import { compareUtf8, isObject, type Json, type JsonObject, parseJson } from '../base/index.ts'
import { RepriseError } from '../errors/index.ts'
import {
  evidenceNames,
  type HandoffArtifact,
  isHandoffArtifact,
  normaliseArtifact,
  targetName,
} from './handoff-artifact.ts'
import { HANDOFF_KEY } from './keys.ts'
import { type Writer, type WriterWire, writerFromWire, writerToWire } from './writer.ts'

export type Handoff = {
  readonly source: string
  readonly target: string
  readonly task: string
  readonly reason: string
  readonly evidence: readonly string[]
  readonly openQuestions: readonly string[]
  /** The whole of a typed handoff in Harn's form; the fields above are read from it. */
  readonly artifact?: HandoffArtifact
}

export type HandoffEnvelope = {
  readonly sessionId: string
  readonly root: string
  readonly summary: Readonly<Record<string, unknown>>
  readonly handoff: Handoff | null
  readonly writer: Writer | null
  readonly writtenAt: number
}

export type HandoffInput = Omit<HandoffEnvelope, 'writer'> & { readonly writer: Writer }

export function encodeHandoff(input: HandoffInput): string {
  if (input.summary === undefined || input.summary === null)
    throw invalid('agent_state.handoff: `summary` is required')
  if (!isObject(input.summary)) throw invalid('agent_state.handoff: `summary` must be a JSON object')
  const envelope = {
    _type: 'agent_state_handoff',
    version: 1,
    session_id: input.sessionId,
    root: input.root,
    key: HANDOFF_KEY,
    summary: input.summary,
    handoff: input.handoff === null ? null : handoffToWire(input.handoff),
    writer: writerToWire(input.writer) satisfies WriterWire,
    written_at: input.writtenAt,
  }
  return JSON.stringify(sortKeys(JSON.parse(JSON.stringify(envelope))), null, 2)
}

export function decodeHandoff(text: string): HandoffEnvelope {
  const wire = parseObject(text)
  if (wire._type !== 'agent_state_handoff')
    throw invalid('agent_state: the handoff has another `_type` than agent_state_handoff')
  if (wire.version !== 1)
    throw invalid(`agent_state: the handoff has version ${String(wire.version)}; this reads version 1`)
  const { session_id: sessionId, root, summary, written_at: writtenAt } = wire
  if (
    typeof sessionId !== 'string' ||
    typeof root !== 'string' ||
    typeof writtenAt !== 'number' ||
    !isObject(summary)
  ) {
    throw invalid('agent_state: the handoff lacks session_id, root, summary or written_at')
  }
  const handoff = wire.handoff === undefined || wire.handoff === null ? null : handoffFromWire(wire.handoff)
  return { sessionId, root, summary, handoff, writer: writerFromWire(wire.writer, null), writtenAt }
}

/**
 * The typed form of a handoff that is to be written: what the caller gives, in our fields or in Harn's.
 * Without it the summary, where that is one in Harn's form.
 */
export function typedHandoff(
  given: Partial<Handoff> | HandoffArtifact | undefined,
  summary: unknown,
): Handoff | null {
  if (isHandoffArtifact(given)) return fromArtifact(given)
  if (given !== undefined) return checkHandoff(given)
  return isHandoffArtifact(summary) ? fromArtifact(summary) : null
}

function fromArtifact(value: JsonObject): Handoff {
  const normalised = normaliseArtifact(value)
  if ('problem' in normalised) throw invalid(`agent_state.handoff: ${normalised.problem}`)
  const { artifact } = normalised
  const questions = artifact.open_questions
  return {
    source: artifact.source_persona,
    target: targetName(artifact.target_persona_or_human),
    task: artifact.task,
    reason: artifact.reason,
    evidence: evidenceNames(artifact),
    openQuestions: Array.isArray(questions) ? questions.map(String) : [],
    artifact,
  }
}

/** The typed form as it came from a caller: every text is there, every list holds text. */
function checkHandoff(input: Partial<Handoff>): Handoff {
  if (isHandoffArtifact(input.artifact)) return fromArtifact(input.artifact)
  const text = (name: 'source' | 'target' | 'task' | 'reason'): string => {
    const value: unknown = input[name]
    if (typeof value === 'string' && value.trim() !== '') return value
    throw invalid(`agent_state.handoff: \`${name}\` must be a non-empty string`)
  }
  const list = (name: 'evidence' | 'openQuestions'): readonly string[] => {
    const value: unknown = input[name] ?? []
    if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value
    throw invalid(`agent_state.handoff: \`${name}\` must be a list of strings`)
  }
  return {
    source: text('source'),
    target: text('target'),
    task: text('task'),
    reason: text('reason'),
    evidence: list('evidence'),
    openQuestions: list('openQuestions'),
  }
}

function handoffToWire({ artifact, ...handoff }: Handoff): Readonly<Record<string, unknown>> {
  if (artifact !== undefined) return artifact
  const { openQuestions, ...rest } = handoff
  return { ...rest, open_questions: openQuestions }
}

function handoffFromWire(wire: unknown): Handoff {
  if (!isObject(wire)) throw invalid('agent_state: `handoff` must be a JSON object or null')
  if (isHandoffArtifact(wire)) return fromArtifact(wire)
  const { open_questions: openQuestions, ...rest } = wire
  return checkHandoff({
    ...rest,
    ...(openQuestions === undefined ? {} : { openQuestions: openQuestions as readonly string[] }),
  })
}

function parseObject(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = parseJson(text)
    if (isObject(value)) return value
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
  }
  throw invalid('agent_state: the handoff is not a JSON object')
}

function sortKeys(value: Json): Json {
  if (Array.isArray(value)) return value.map(sortKeys)
  if (value === null || typeof value !== 'object') return value
  const entries = Object.entries(value).sort(([a], [b]) => compareUtf8(a, b))
  return Object.fromEntries(entries.map(([key, field]) => [key, sortKeys(field)]))
}

function invalid(message: string): RepriseError {
  return new RepriseError('state-handoff-invalid', message, {
    hint: 'see docs/format/state.md for the form of a handoff',
  })
}
