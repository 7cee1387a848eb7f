/**
 * The difference of two trees of files, as a diff in git's format that `git apply` accepts: text with hunks,
 * binary, new, deleted and renamed files, the executable bit, symbolic links. Deterministic: files are in the
 * order of their paths.
 *
 * Git's format cannot express empty folders and other bits of a mode: those are not in it.
 *
 * Decision 0114.
 */

import { hunks } from '../../../base/hunks.ts'
import { equalBytes } from '../../../base/index.ts'
import { binaryPatch } from './binary-patch.ts'
import { type Blob, blobOf, isLink } from './blob.ts'
import type { FileTree } from './file-tree.ts'
import { headingName, quotedName } from './quoted-name.ts'
import { findRenames } from './renames.ts'

type Part = { readonly path: string; readonly text: string }

const NOTHING = '0'.repeat(40)

export function unifiedDiff(before: FileTree, after: FileTree): string {
  const gone = new Map<string, Blob>()
  const made = new Map<string, Blob>()
  const parts: Part[] = []
  for (const path of new Set([...before.keys(), ...after.keys()])) {
    const [old, now] = [blobOf(before.get(path)), blobOf(after.get(path))]
    if (old !== null && now !== null && isLink(old) === isLink(now)) {
      if (old.mode !== now.mode || !equalBytes(old.bytes, now.bytes))
        parts.push({ path, text: changed(path, path, old, now, []) })
    } else {
      if (old !== null) gone.set(path, old)
      if (now !== null) made.set(path, now)
    }
  }
  // A file that became a link is removed and new at one path: git accepts no rename from or to there. Git
  // also does not detect that a rename removes a link, and then rejects what is put in a folder at its path.
  const only = (blobs: ReadonlyMap<string, Blob>, others: ReadonlyMap<string, Blob>) =>
    new Map([...blobs].filter(([path, blob]) => !others.has(path) && !isLink(blob)))
  for (const { from, to, similarity } of findRenames(only(gone, made), only(made, gone))) {
    const [old, now] = [gone.get(from), made.get(to)]
    if (old === undefined || now === undefined) continue
    const words = [
      `similarity index ${similarity}%`,
      `rename from ${quotedName(from)}`,
      `rename to ${quotedName(to)}`,
    ]
    parts.push({ path: to, text: changed(from, to, old, now, words) })
    gone.delete(from)
    made.delete(to)
  }
  // Removals come before additions at the same path: a file that became a link is both.
  for (const [path, blob] of gone) parts.push({ path, text: deleted(path, blob) })
  for (const [path, blob] of made) parts.push({ path, text: added(path, blob) })
  return parts
    .sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0))
    .map(({ text }) => text)
    .join('')
}

function changed(from: string, to: string, old: Blob, now: Blob, words: readonly string[]): string {
  const modes = old.mode === now.mode ? [] : [`old mode ${old.mode}`, `new mode ${now.mode}`]
  const head = [`diff --git ${quotedName(`a/${from}`)} ${quotedName(`b/${to}`)}`, ...modes, ...words]
  if (equalBytes(old.bytes, now.bytes)) return `${head.join('\n')}\n`
  const index = `index ${old.name}..${now.name}${old.mode === now.mode ? ` ${now.mode}` : ''}`
  return `${head.join('\n')}\n${index}\n${body(`a/${from}`, `b/${to}`, old, now)}`
}

function added(path: string, now: Blob): string {
  const head = `diff --git ${quotedName(`a/${path}`)} ${quotedName(`b/${path}`)}\nnew file mode ${now.mode}\nindex ${NOTHING}..${now.name}\n`
  return head + body(null, `b/${path}`, { ...now, bytes: NO_BYTES, text: '' }, now)
}

function deleted(path: string, old: Blob): string {
  const head = `diff --git ${quotedName(`a/${path}`)} ${quotedName(`b/${path}`)}\ndeleted file mode ${old.mode}\nindex ${old.name}..${NOTHING}\n`
  return head + body(`a/${path}`, null, old, { ...old, bytes: NO_BYTES, text: '' })
}

const NO_BYTES = new Uint8Array()

/** `from` or `to` is null if there is no file. */
function body(from: string | null, to: string | null, old: Blob, now: Blob): string {
  if (equalBytes(old.bytes, now.bytes)) return ''
  if (old.text === null || now.text === null) return binaryPatch(old.bytes, now.bytes)
  const headings = `--- ${from === null ? '/dev/null' : headingName(from)}\n+++ ${to === null ? '/dev/null' : headingName(to)}\n`
  return headings + hunks(old.text, now.text)
}
