/**
 * Checks a sidecar against its tape: every annotation must refer to a record that exists, and be possible for
 * it. Upstream's problem codes.
 */
import { compareUtf8 } from '../../base/index.ts'
import { damageError } from '../../tape/event-tape.ts'
import type { TapeSource } from '../source.ts'
import { type Annotation, annotationName, frictionKinds, isKnownAnnotation } from './annotation.ts'
import type { AnnotationSidecar } from './load.ts'
import { tapeContentHasher } from './tape-content-hash.ts'

export type AnnotationProblem =
  | { readonly code: 'schema'; readonly annotation_id: string; readonly message: string }
  | { readonly code: 'unknown_event_id'; readonly annotation_id: string; readonly event_id: number }
  | { readonly code: SimpleProblem; readonly annotation_id: string }
  | { readonly code: 'friction_kind_unknown'; readonly annotation_id: string; readonly friction_kind: string }
  | { readonly code: 'invalid_span'; readonly annotation_id: string; readonly message: string }
  | { readonly code: 'tape_digest_mismatch'; readonly expected: string; readonly actual: string }

type SimpleProblem =
  | 'hypothesis_status_missing'
  | 'hypothesis_status_unexpected'
  | 'friction_kind_missing'
  | 'friction_kind_unexpected'
  | 'duplicate_id'
  | 'unknown_kind'

/** In the names and the order of upstream's report. */
export type AnnotationReport = {
  readonly annotations_checked: number
  readonly problems: readonly AnnotationProblem[]
  readonly kind_counts: { readonly [kind: string]: number }
}

export function checkAnnotations(sidecar: AnnotationSidecar, tape: TapeSource): AnnotationReport {
  const { annotations, badLines, header } = sidecar
  const facts = tapeFacts(tape, new Set(annotations.map(({ eventId }) => eventId)))
  const problems: AnnotationProblem[] = badLines.map(({ line, message }) => ({
    code: 'schema',
    annotation_id: `line ${line}`,
    message,
  }))
  const seen = new Set<string>()
  const counts = new Map<string, number>()
  for (const annotation of annotations) {
    const kind = isKnownAnnotation(annotation.kind) ? annotation.kind : 'unknown'
    counts.set(kind, (counts.get(kind) ?? 0) + 1)
    const id = annotationName(annotation)
    if (annotation.id !== '' && seen.has(annotation.id))
      problems.push({ code: 'duplicate_id', annotation_id: id })
    seen.add(annotation.id)
    if (!facts.present.has(annotation.eventId))
      problems.push({ code: 'unknown_event_id', annotation_id: id, event_id: annotation.eventId })
    problems.push(...kindProblems(annotation, id), ...spanProblems(annotation, id, facts.highest))
  }
  const expected = header.tapeContentHash
  if (expected !== null && expected !== facts.hash)
    problems.push({ code: 'tape_digest_mismatch', expected, actual: facts.hash })
  const kindCounts = Object.fromEntries([...counts].sort(([a], [b]) => compareUtf8(a, b)))
  return { annotations_checked: annotations.length, problems, kind_counts: kindCounts }
}

type TapeFacts = {
  readonly present: ReadonlySet<number>
  readonly highest: number | null
  readonly hash: string
}

/**
 * Streams the tape: only the requested numbers are kept. The seal is a record here, as it is to
 * upstream.
 */
function tapeFacts(tape: TapeSource, asked: ReadonlySet<number>): TapeFacts {
  const present = new Set<number>()
  const hasher = tapeContentHasher()
  let highest: number | null = null
  for (const event of tape.events) {
    if (event.type === 'damage') throw damageError(tape.name, event.damage)
    if (event.type !== 'record') continue
    const { seq } = event.record
    if (asked.has(seq)) present.add(seq)
    highest = highest === null ? seq : Math.max(highest, seq)
    hasher.add(event)
  }
  return { present, highest, hash: hasher.digest() }
}

function* kindProblems(
  { kind, hypothesisStatus, frictionKind }: Annotation,
  id: string,
): Generator<AnnotationProblem, void, void> {
  if (!isKnownAnnotation(kind)) {
    yield { code: 'unknown_kind', annotation_id: id }
    return
  }
  if (kind === 'hypothesis' && hypothesisStatus === null)
    yield { code: 'hypothesis_status_missing', annotation_id: id }
  if (kind !== 'hypothesis' && hypothesisStatus !== null)
    yield { code: 'hypothesis_status_unexpected', annotation_id: id }
  if (kind !== 'friction') {
    if (frictionKind !== null) yield { code: 'friction_kind_unexpected', annotation_id: id }
  } else if (frictionKind === null) yield { code: 'friction_kind_missing', annotation_id: id }
  else if (!frictionKinds.some((known) => known === frictionKind))
    yield { code: 'friction_kind_unknown', annotation_id: id, friction_kind: frictionKind }
}

function* spanProblems(
  { span, eventId }: Annotation,
  id: string,
  highest: number | null,
): Generator<AnnotationProblem, void, void> {
  if (span === null) return
  const { startEventId: start, endEventId: end } = span
  if (start !== eventId)
    yield {
      code: 'invalid_span',
      annotation_id: id,
      message: `the span starts at ${start}, the annotation is about ${eventId}`,
    }
  if (end < start)
    yield {
      code: 'invalid_span',
      annotation_id: id,
      message: `the span ends at ${end}, before its start at ${start}`,
    }
  if (highest !== null && end > highest)
    yield {
      code: 'invalid_span',
      annotation_id: id,
      message: `the span ends at ${end}, the tape at ${highest}`,
    }
}
