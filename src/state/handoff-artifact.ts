/**
 * Harn's typed handoff (`handoff_artifact`), which newer versions of it store in the envelope: sender,
 * receiver, task and reason, with evidence, limits and a deadline. Its fields stay as they are on the wire;
 * what Harn requires is checked, in its words.
 */
import { isObject, type Json, type JsonObject } from '../base/index.ts'

export type HandoffTarget = {
  readonly kind: string
  readonly id?: string
  readonly label?: string
  readonly uri?: string
}

/** Fields of newer versions are kept too. */
export type HandoffArtifact = {
  readonly source_persona: string
  readonly target_persona_or_human: HandoffTarget
  readonly task: string
  readonly reason: string
  readonly [field: string]: Json | undefined
}

const LISTS = [
  'files_or_entities_touched',
  'open_questions',
  'blocked_on',
  'requested_capabilities',
  'allowed_side_effects',
] as const
const TARGET_KINDS: Readonly<Record<string, string>> = {
  human: 'human',
  persona: 'persona',
  a2a: 'a2a',
  external_a2a: 'a2a',
  worker: 'worker',
  queue: 'worker',
}

/** True for an object in Harn's form, whole or not. */
export function isHandoffArtifact(value: unknown): value is JsonObject {
  return isObject(value) && (value._type === 'handoff_artifact' || 'source_persona' in value)
}

export type NormalisedArtifact = { readonly artifact: HandoffArtifact } | { readonly problem: string }

/**
 * The artifact as Harn stores it: texts trimmed, lists without blanks and doubles, the confidence from 0 to
 * 1.
 */
export function normaliseArtifact(value: JsonObject): NormalisedArtifact {
  const text = (name: string): string => (typeof value[name] === 'string' ? value[name].trim() : '')
  const target = targetOf(value.target_persona_or_human)
  const [source_persona, task, reason] = [text('source_persona'), text('task'), text('reason')]
  if (source_persona === '') return { problem: 'handoff source_persona is required' }
  if (target === null) return { problem: 'handoff target_persona_or_human is required' }
  if (task === '') return { problem: 'handoff task is required' }
  if (reason === '') return { problem: 'handoff reason is required' }
  const lists: Record<string, Json> = {}
  for (const name of LISTS) {
    const list = textList(value[name] ?? [])
    if (list === null) return { problem: `handoff parse error: ${name} must be a list of strings` }
    lists[name] = list
  }
  const { confidence = null } = value
  if (confidence !== null && typeof confidence !== 'number')
    return { problem: 'handoff parse error: confidence must be a number' }
  const artifact: HandoffArtifact = {
    evidence_refs: [],
    receipt_links: [],
    metadata: {},
    ...value,
    ...lists,
    _type: 'handoff_artifact',
    confidence: confidence === null ? null : Math.min(1, Math.max(0, confidence)),
    source_persona,
    target_persona_or_human: target,
    task,
    reason,
  }
  return { artifact }
}

/** By which name the receiver goes: label, else id, else uri. */
export function targetName(target: HandoffTarget): string {
  return target.label ?? target.id ?? target.uri ?? ''
}

/** Paths, labels or ids of the evidence, whichever a reference has. */
export function evidenceNames(artifact: HandoffArtifact): readonly string[] {
  const refs = artifact.evidence_refs
  if (!Array.isArray(refs)) return []
  return refs.flatMap((ref: Json) => {
    if (typeof ref === 'string') return [ref]
    const name = isObject(ref) ? (ref.path ?? ref.uri ?? ref.artifact_id ?? ref.label) : undefined
    return typeof name === 'string' ? [name] : []
  })
}

function targetOf(value: Json | undefined): HandoffTarget | null {
  const wire = typeof value === 'string' ? { label: value } : value
  if (!isObject(wire)) return null
  const text = (name: string): { readonly [name: string]: string } => {
    const field = wire[name]
    return typeof field === 'string' && field.trim() !== '' ? { [name]: field.trim() } : {}
  }
  const { kind } = wire
  const known =
    typeof kind === 'string' && Object.hasOwn(TARGET_KINDS, kind.trim())
      ? TARGET_KINDS[kind.trim()]
      : undefined
  const target: HandoffTarget = { kind: known ?? 'persona', ...text('id'), ...text('label'), ...text('uri') }
  return targetName(target) === '' ? null : target
}

function textList(value: Json): readonly string[] | null {
  if (!Array.isArray(value)) return null
  const texts: string[] = []
  for (const item of value) {
    if (typeof item !== 'string') return null
    if (item.trim() !== '') texts.push(item.trim())
  }
  return [...new Set(texts)]
}
