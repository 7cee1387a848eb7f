/** Annotations for other tools: rows of JSON, or upstream's friction events. */
import { canonicalJsonText } from '../../base/index.ts'
import { type Annotation, type AnnotationHeader, frictionKinds } from './annotation.ts'

/** One line: every key, also those without a value; no `type`. */
export function annotationRow(annotation: Annotation): string {
  const {
    id,
    eventId,
    kind,
    evidence,
    suggestedFix,
    author,
    timestamp,
    span,
    hypothesisStatus,
    frictionKind,
    links,
    metadata,
  } = annotation
  return object([
    ['id', JSON.stringify(id)],
    ['event_id', String(eventId)],
    ['kind', JSON.stringify(kind)],
    ['evidence', JSON.stringify(evidence)],
    ['suggested_fix', suggestedFix === null ? 'null' : canonicalJsonText(suggestedFix)],
    ['author', JSON.stringify(author)],
    ['timestamp', JSON.stringify(timestamp)],
    [
      'span',
      span === null ? 'null' : `{"start_event_id":${span.startEventId},"end_event_id":${span.endEventId}}`,
    ],
    ['hypothesis_status', JSON.stringify(hypothesisStatus)],
    ['friction_kind', JSON.stringify(frictionKind)],
    ['links', JSON.stringify(links)],
    ['metadata', canonicalJsonText(metadata)],
  ])
}

/**
 * A friction event, or null for an annotation that is none or lacks a known friction kind. `now` replaces a
 * missing time.
 */
export function frictionEvent(annotation: Annotation, header: AnnotationHeader, now: string): string | null {
  const { id, eventId, kind, frictionKind, evidence, author, links, metadata, timestamp } = annotation
  if (kind !== 'friction' || !frictionKinds.some((known) => known === frictionKind)) return null
  return object([
    ['schema_version', '1'],
    ['id', JSON.stringify(id === '' ? `annotation_${eventId}` : id)],
    ['kind', JSON.stringify(frictionKind)],
    ['source', JSON.stringify(header.tapePath)],
    ['actor', JSON.stringify(author?.id ?? null)],
    ...NOT_KNOWN_HERE.map((name): [string, string] => [name, 'null']),
    ['redacted_summary', JSON.stringify(evidence ?? `annotation ${id} on event ${eventId}`)],
    ['estimated_cost_usd', 'null'],
    ['estimated_time_ms', 'null'],
    ['recurrence_hints', '[]'],
    ['trace_id', 'null'],
    ['span_id', 'null'],
    [
      'links',
      JSON.stringify(links.map(({ label, url, reference }) => ({ label, url, trace_id: reference }))),
    ],
    ['human_hypothesis', 'null'],
    ['metadata', canonicalJsonText(metadata)],
    ['timestamp', JSON.stringify(timestamp ?? now)],
  ])
}

/** Fields of a friction event that an annotation does not have. */
const NOT_KNOWN_HERE = ['tenant_id', 'task_id', 'run_id', 'workflow_id', 'tool', 'provider']

function object(members: readonly (readonly [name: string, json: string])[]): string {
  return `{${members.map(([name, json]) => `"${name}":${json}`).join(',')}}`
}
