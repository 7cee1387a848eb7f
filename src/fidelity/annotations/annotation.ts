/**
 * The annotations sidecar of a tape (`<tape>.annotations.jsonl`), as Harn writes it: notes of people and
 * agents on single records.
 *
 * JSON lines; blank lines and lines that begin with `#` are passed over. Reading is as tolerant as
 * upstream's: unknown fields are ignored, an unknown kind is kept by its name, anything of a wrong type is
 * refused with its field.
 */
import { isObject, JsonScanError, parseJson } from '../../base/index.ts'
import { memberText } from '../../tape/record.ts'

export const ANNOTATIONS_SUFFIX = '.annotations.jsonl'
export const ANNOTATIONS_VERSION = 1

export const annotationKinds = [
  'correct',
  'incorrect',
  'alternative',
  'note',
  'marker',
  'mute',
  'hypothesis',
  'friction',
  'crystallize_here',
] as const
export type AnnotationKind = (typeof annotationKinds)[number]

const hypothesisStatuses = ['active', 'verifying', 'confirmed', 'disproven', 'stale'] as const

export const frictionKinds = [
  'repeated_query',
  'repeated_clarification',
  'approval_stall',
  'missing_context',
  'manual_handoff',
  'tool_gap',
  'failed_assumption',
  'expensive_model_used_for_deterministic_step',
  'human_hypothesis',
] as const

export type AnnotationHeader = {
  readonly schemaVersion: number
  readonly tapePath: string | null
  readonly tapeContentHash: string | null
  readonly harnVersion: string | null
}

type AnnotationAuthor = {
  readonly id: string | null
  readonly kind: 'human' | 'agent' | 'system'
  readonly surface: string | null
}
type AnnotationLink = {
  readonly label: string | null
  readonly url: string | null
  readonly reference: string | null
}

export type Annotation = {
  /** Empty if the author gave none. */
  readonly id: string
  /** The `seq` of the record. */
  readonly eventId: number
  /** As written; see `isKnownAnnotation`. */
  readonly kind: string
  readonly evidence: string | null
  /** JSON text as stored on the line, so that no number loses its spelling; null if there is none. */
  readonly suggestedFix: string | null
  readonly author: AnnotationAuthor | null
  readonly timestamp: string | null
  readonly span: { readonly startEventId: number; readonly endEventId: number } | null
  readonly hypothesisStatus: string | null
  readonly frictionKind: string | null
  readonly links: readonly AnnotationLink[]
  /** JSON text of an object. */
  readonly metadata: string
}

/** What is wrong with a line, in words; the caller knows the line. */
export class AnnotationError extends Error {}

export function isKnownAnnotation(kind: string): kind is AnnotationKind {
  return annotationKinds.some((known) => known === kind)
}

export function parseAnnotationHeader(text: string): AnnotationHeader {
  const value = parseObject(text)
  if (value.type === 'annotation')
    throw new AnnotationError('the header is missing: the first line is an annotation')
  if (value.type !== 'header') throw new AnnotationError('its type is not "header"')
  return {
    schemaVersion: whole(value, 'schema_version'),
    tapePath: optionalText(value, 'tape_path'),
    tapeContentHash: optionalText(value, 'tape_content_hash'),
    harnVersion: optionalText(value, 'harn_version'),
  }
}

export function parseAnnotation(text: string): Annotation {
  const value = parseObject(text)
  if (value.type === 'header') throw new AnnotationError('a second header')
  if (value.type !== 'annotation') throw new AnnotationError('its type is not "annotation"')
  if (typeof value.kind !== 'string') throw new AnnotationError('kind: expected a string')
  const status = optionalText(value, 'hypothesis_status')
  if (status !== null && !hypothesisStatuses.some((known) => known === status))
    throw new AnnotationError(`hypothesis_status: expected one of ${hypothesisStatuses.join(', ')}`)
  return {
    id: value.id === undefined ? '' : textOf(value.id, 'id'),
    eventId: whole(value, 'event_id'),
    kind: value.kind,
    evidence: optionalText(value, 'evidence'),
    suggestedFix:
      value.suggested_fix === undefined || value.suggested_fix === null
        ? null
        : rawMember(text, 'suggested_fix'),
    author: authorOf(value.author),
    timestamp: optionalText(value, 'timestamp'),
    span: spanOf(value.span),
    hypothesisStatus: status,
    frictionKind: optionalText(value, 'friction_kind'),
    links: linksOf(value.links),
    metadata: metadataOf(value.metadata, text),
  }
}

type Fields = Readonly<Record<string, unknown>>

function parseObject(text: string): Fields {
  let value: unknown
  try {
    value = parseJson(text)
  } catch (error) {
    throw new AnnotationError(error instanceof JsonScanError ? 'it is nested too deep' : 'it is not JSON')
  }
  if (!isObject(value)) throw new AnnotationError('it is no JSON object')
  return value
}

function rawMember(text: string, name: string): string {
  try {
    return memberText(text, name)
  } catch (error) {
    if (error instanceof JsonScanError) throw new AnnotationError(`${name}: nested too deep`)
    throw error
  }
}

function metadataOf(value: unknown, text: string): string {
  if (value === undefined) return '{}'
  if (!isObject(value)) throw new AnnotationError('metadata: expected an object')
  return rawMember(text, 'metadata')
}

function authorOf(value: unknown): AnnotationAuthor | null {
  if (value === undefined || value === null) return null
  if (!isObject(value)) throw new AnnotationError('author: expected an object')
  const kind = (['human', 'agent', 'system'] as const).find((known) => known === value.kind)
  if (kind === undefined) throw new AnnotationError('author.kind: expected human, agent or system')
  return { id: optionalText(value, 'id'), kind, surface: optionalText(value, 'surface') }
}

function spanOf(value: unknown): Annotation['span'] {
  if (value === undefined || value === null) return null
  if (!isObject(value)) throw new AnnotationError('span: expected an object')
  return { startEventId: whole(value, 'start_event_id'), endEventId: whole(value, 'end_event_id') }
}

function linksOf(value: unknown): AnnotationLink[] {
  if (value === undefined) return []
  if (!Array.isArray(value)) throw new AnnotationError('links: expected a list')
  return value.map((link: unknown) => {
    if (!isObject(link)) throw new AnnotationError('links: expected objects')
    return {
      label: optionalText(link, 'label'),
      url: optionalText(link, 'url'),
      reference: optionalText(link, 'reference'),
    }
  })
}

function whole(value: Fields, wire: string): number {
  const number = value[wire]
  if (typeof number !== 'number' || !Number.isInteger(number) || number < 0)
    throw new AnnotationError(`${wire}: expected a whole number`)
  return number
}

function optionalText(value: Fields, wire: string): string | null {
  const given = value[wire]
  return given === undefined || given === null ? null : textOf(given, wire)
}

function textOf(value: unknown, wire: string): string {
  if (typeof value !== 'string') throw new AnnotationError(`${wire}: expected a string`)
  return value
}

/** The name under which an annotation is reported. */
export function annotationName({ id, eventId }: Annotation): string {
  return id === '' ? `ann@event_${eventId}` : id
}
