/**
 * Searches a large JSON body that is mostly one list of objects, a part of the list at a time: its whole text
 * is never in memory. True only if the edits of the whole text are none: those of each token depend on the
 * token and the frames around it, and each part has the frames of the whole.
 */
import { readLargeList } from '../base/index.ts'
import type { Finder } from './finder.ts'
import type { MessageWalk } from './json-edits.ts'

const WHOLE: MessageWalk = { from: null, messageEnded: () => undefined }

export function hasCleanList(
  bytes: Uint8Array,
  finder: Finder,
  hasNoEdits: (text: string, walk: MessageWalk) => boolean,
): boolean {
  const list = readLargeList(bytes)
  if (list === null) return false
  if (every(list.documents(), (text) => isPlain(text, finder))) return true
  return every(list.documents(), (text) => hasNoEdits(text, WHOLE))
}

function isPlain(text: string, finder: Finder): boolean {
  return finder.find(text, 'sent', true).spans.length === 0 && !finder.mayNameSecrets(text, 'sent')
}

function every(texts: Iterable<string>, test: (text: string) => boolean): boolean {
  for (const text of texts) if (!test(text)) return false
  return true
}
