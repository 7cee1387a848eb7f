/**
 * The scan after writing: does any file of a cassette still hold a secret? Text as text, typed bytes as one
 * stream, output as a terminal stream. Gives the name of the first file that does.
 */
import type { Scrubber } from '../../scrub/index.ts'
import { jsonText, readInput, streamValues } from '../codec/index.ts'
import { FILES, type FileName, OPTIONAL_FILES, REQUIRED_FILES } from '../files/names.ts'
import { finderOf } from './finder-of.ts'
import { createTerminalScrubber } from './stream-scrubber.ts'

export function scanFolder(read: (name: FileName) => Uint8Array | null, scrubber: Scrubber): FileName | null {
  const names = [FILES.manifest, ...REQUIRED_FILES, ...OPTIONAL_FILES].filter(
    (name) => name !== FILES.raw && name !== FILES.output,
  )
  for (const name of names) {
    const bytes = read(name)
    if (bytes !== null && holdsSecret(name, bytes, scrubber)) return name
  }
  return null
}

function holdsSecret(name: FileName, bytes: Uint8Array, scrubber: Scrubber): boolean {
  const text = jsonText(bytes)
  if (scrubber.find(text, 'received', true).spans.length > 0) return true
  return name === FILES.input && holdsTypedSecret(text, scrubber)
}

function holdsTypedSecret(text: string, scrubber: Scrubber): boolean {
  const typed: Uint8Array[] = []
  for (const { value } of streamValues(text)) {
    const { bytes, reply } = readInput(value)
    if (bytes !== null && !reply) typed.push(bytes)
  }
  return changes(Buffer.concat(typed), scrubber, Number.MAX_SAFE_INTEGER, 'input')
}

/** True if scrubbing the stream would still change it. */
export function changes(
  bytes: Uint8Array,
  scrubber: Scrubber,
  cols: number,
  source: 'input' | 'output',
): boolean {
  const stream = createTerminalScrubber(finderOf(scrubber, 'received'), cols, source)
  return Buffer.compare(Buffer.concat([stream.push(bytes), stream.end()]), bytes) !== 0
}
