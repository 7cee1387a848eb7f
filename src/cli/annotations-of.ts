/**
 * The annotations of a tape, for showing: null without a sidecar. One that cannot be read is named on
 * stderr and passed over.
 */
import { isRepriseError } from '../errors/index.ts'
import type { Output } from './output.ts'

/** More than these are not listed. */
const MAX_LISTED = 1000

export type ShownAnnotation = {
  readonly id: string
  readonly event_id: number
  readonly kind: string
  readonly evidence: string | null
}

export async function annotationsOf(
  tape: string,
  output: Output,
): Promise<readonly ShownAnnotation[] | null> {
  const { fs } = await import('../real/fs.ts')
  const { ANNOTATIONS_SUFFIX, annotationName } = await import('../fidelity/annotations/annotation.ts')
  const path = `${tape}${ANNOTATIONS_SUFFIX}`
  const stat = fs.lstatSync(path, { throwIfNoEntry: false })
  if (stat === undefined) return null
  if (!stat.isFile()) {
    // The name comes with the tape: a link could show any file of this machine.
    output.note(`${path} is no plain file and was not read`)
    return null
  }
  const { loadAnnotations } = await import('../fidelity/annotations/load.ts')
  try {
    const { annotations, badLines } = loadAnnotations(path)
    for (const { line, message } of badLines.slice(0, MAX_LISTED))
      output.note(`${path}: line ${line} is no annotation and was stepped over: ${message}`)
    if (annotations.length > MAX_LISTED)
      output.note(`${path}: ${annotations.length - MAX_LISTED} more annotations are not shown`)
    return annotations.slice(0, MAX_LISTED).map((annotation) => {
      const { eventId, kind, evidence } = annotation
      return { id: annotationName(annotation), event_id: eventId, kind, evidence }
    })
  } catch (error) {
    if (!isRepriseError(error)) throw error
    output.note(error.message)
    return null
  }
}

export function annotationLine({ id, event_id: seq, kind, evidence }: ShownAnnotation): string {
  const words = evidence === null ? '' : `: ${evidence.split('\n')[0] ?? ''}`
  return `  annotation at ${seq}: [${kind}] ${id}${words}`
}
