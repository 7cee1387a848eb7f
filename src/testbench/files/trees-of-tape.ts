/**
 * What a run changed, read from its tape: the files before and after, each tree with only the paths that the
 * program touched. Only the first root counts; changes in further ones are named in `elsewhere`.
 *
 * The tape is hostile: a path that leaves the root, or that no file can have, is an error, and so is a folder
 * that is a link in the same tree.
 */
import { RepriseError } from '../../errors/index.ts'
import { type Kind, readTapeEvents } from '../../tape/index.ts'
import { tapePayloads } from '../../tape/tape-payloads.ts'
import type { FileEntry } from './diff/file-tree.ts'

export type ChangedTrees = {
  readonly before: ReadonlyMap<string, FileEntry>
  readonly after: ReadonlyMap<string, FileEntry>
  /** Paths whose content on the tape was changed: a secret in it was replaced. */
  readonly scrubbed: ReadonlySet<string>
  /** Paths whose content is not on the tape. */
  readonly unknown: ReadonlySet<string>
  /** Changed paths outside the first root. */
  readonly elsewhere: readonly string[]
  /** Complete to its end: nothing that the run changed is missing. */
  readonly sealed: boolean
}

export function treesOfTape(tape: string): ChangedTrees {
  const payloads = tapePayloads(tape)
  const trees = { before: new Map<string, FileEntry>(), after: new Map<string, FileEntry>() }
  const scrubbed = new Set<string>()
  const unknown = new Set<string>()
  const elsewhere = new Set<string>()
  let sealed = false
  let damaged = false
  for (const event of readTapeEvents(tape)) {
    if (event.type === 'damage' || event.type === 'torn') damaged = true
    if (event.type !== 'record') continue
    const { kind } = event.record
    if (kind.kind === 'tape_seal') sealed = true
    if (kind.kind !== 'file_state') continue
    if (isElsewhere(kind.path)) {
      elsewhere.add(kind.path)
      continue
    }
    const path = checkedPath(kind.path)
    if (event.record.scrubbed !== undefined) scrubbed.add(path)
    if (kind.state === 'file' && kind.payload === undefined) unknown.add(path)
    const entry = entryOf(kind, payloads)
    if (entry === null) trees[kind.when].delete(path)
    else trees[kind.when].set(path, entry)
  }
  for (const tree of [trees.before, trees.after]) checkShape(tree)
  return { ...trees, scrubbed, unknown, elsewhere: [...elsewhere], sealed: sealed && !damaged }
}

function entryOf(kind: Kind<'file_state'>, payloads: ReturnType<typeof tapePayloads>): FileEntry | null {
  switch (kind.state) {
    case 'absent':
      return null
    case 'folder':
      return { kind: 'folder', mode: modeOf(kind.mode, 0o755) }
    case 'symlink':
      return { kind: 'symlink', target: checkedTarget(kind) }
    case 'file':
      return {
        kind: 'file',
        mode: modeOf(kind.mode, 0o644),
        bytes: kind.payload === undefined ? new Uint8Array() : payloads(kind.payload),
      }
  }
}

/** Never the set-id bits. */
function modeOf(mode: number | undefined, otherwise: number): number {
  return mode === undefined ? otherwise : mode & 0o777
}

function isElsewhere(path: string): boolean {
  return /^\$(?:ROOT\d+|HOME|TMP)(?:\/|$)/.test(path)
}

function checkedPath(path: string): string {
  const parts = path.split('/')
  const wrong =
    path === '' || path.includes('\0') || parts.some((part) => part === '' || part === '.' || part === '..')
  if (!wrong) return path
  throw new RepriseError(
    'files-path',
    `the tape names a path outside of its folder: ${JSON.stringify(path)}`,
    {
      details: { path },
      hint: 'the tape was not written by reprise, or was changed: do not apply it',
    },
  )
}

function checkedTarget({ path, target }: Kind<'file_state'>): string {
  if (target !== undefined && target !== '' && !target.includes('\0')) return target
  throw new RepriseError('files-path', `the tape has a link without a target: ${JSON.stringify(path)}`, {
    details: { path },
    hint: 'do not apply it',
  })
}

/** A file inside something that is no folder cannot exist. */
function checkShape(tree: ReadonlyMap<string, FileEntry>): void {
  for (const path of tree.keys()) {
    for (let slash = path.indexOf('/'); slash > 0; slash = path.indexOf('/', slash + 1)) {
      const above = tree.get(path.slice(0, slash))
      if (above === undefined || above.kind === 'folder') continue
      throw new RepriseError(
        'files-path',
        `the tape has a file below a ${above.kind}: ${JSON.stringify(path)}`,
        {
          details: { path },
          hint: 'the tape was not written by reprise, or was changed: do not apply it',
        },
      )
    }
  }
}
