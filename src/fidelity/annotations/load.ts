/**
 * Reads a sidecar, line by line. A header that cannot be used is thrown; a line that is no annotation is
 * returned as such.
 */
import { RepriseError } from '../../errors/index.ts'
import { createLineSplitter } from '../../tape/lines.ts'
import { readChunks } from '../../tape/reader.ts'
import {
  ANNOTATIONS_VERSION,
  type Annotation,
  AnnotationError,
  type AnnotationHeader,
  parseAnnotation,
  parseAnnotationHeader,
} from './annotation.ts'

type BadLine = { readonly line: number; readonly message: string }

export type AnnotationSidecar = {
  readonly path: string
  readonly header: AnnotationHeader
  readonly annotations: readonly Annotation[]
  readonly badLines: readonly BadLine[]
}

const MAX_LINE_BYTES = 8 * 1024 * 1024
/** A sidecar is written by hand or by a reviewer; a million lines of it are not. */
const MAX_LINES = 1_000_000
/** A file with more lines that are no annotations is another kind of file. */
const MAX_BAD_LINES = 10_000

export function loadAnnotations(path: string): AnnotationSidecar {
  let header: AnnotationHeader | null = null
  const annotations: Annotation[] = []
  const badLines: BadLine[] = []
  for (const { number, text } of meaningfulLines(path)) {
    if (header === null) {
      header = readHeader(path, number, text)
      continue
    }
    if (annotations.length + badLines.length >= MAX_LINES)
      throw invalid(path, number, `more than ${MAX_LINES} annotations`)
    try {
      annotations.push(parseAnnotation(text ?? ''))
    } catch (error) {
      if (!(error instanceof AnnotationError)) throw error
      if (badLines.length >= MAX_BAD_LINES)
        throw invalid(path, number, `more than ${MAX_BAD_LINES} lines are no annotations`)
      badLines.push({ line: number, message: text === null ? 'not a line of text' : error.message })
    }
  }
  if (header === null) throw invalid(path, 1, 'it is empty, a header is missing')
  return { path, header, annotations, badLines }
}

function readHeader(path: string, line: number, text: string | null): AnnotationHeader {
  let header: AnnotationHeader
  try {
    header = parseAnnotationHeader(text ?? '')
  } catch (error) {
    if (error instanceof AnnotationError) throw invalid(path, line, error.message)
    throw error
  }
  if (header.schemaVersion <= ANNOTATIONS_VERSION) return header
  throw new RepriseError(
    'annotations-version',
    `${path} declares schema_version ${header.schemaVersion}, and ${ANNOTATIONS_VERSION} is the newest known`,
    {
      details: { path, found: header.schemaVersion, supported: ANNOTATIONS_VERSION },
      hint: 'use a newer Reprise',
    },
  )
}

type MeaningfulLine = { readonly number: number; readonly text: string | null }

/** Lines that are neither blank nor comments; null where a line is no text. */
function* meaningfulLines(path: string): Generator<MeaningfulLine, void, void> {
  let ready: MeaningfulLine[] = []
  let number = 0
  const splitter = createLineSplitter((line) => {
    number += 1
    const text = line === null ? null : line.trim()
    if (text !== '' && text?.startsWith('#') !== true) ready.push({ number, text })
  }, MAX_LINE_BYTES)
  for (const chunk of readChunks(path)) {
    splitter.push(chunk)
    yield* ready
    ready = []
  }
  splitter.end()
  yield* ready
}

function invalid(path: string, line: number, why: string): RepriseError {
  return new RepriseError('annotations-invalid', `${path} is no annotations file: line ${line}: ${why}`, {
    details: { path, line },
    hint: 'its first line must be a header, see docs/format/annotations-v1.md',
  })
}
