/**
 * Everything that a layer has below a folder. Over an untouched layer on the disk that is the disk's own
 * tree.
 */
import { fail } from '../../boundaries/files/layer/failure.ts'
import type { Layer } from '../../boundaries/files/layer/layer.ts'
import { type FolderSpot, isFolder } from '../../boundaries/files/layer/node.ts'
import { isRepriseError } from '../../errors/index.ts'
import type { FileEntry, FileTree } from './diff/file-tree.ts'

export function treeOfLayer(layer: Layer, root: string): FileTree {
  return collect(layer, root, (read) => read())
}

/** Only what is known: names and contents that cannot be read are skipped, and so are installed packages. */
export function knownTree(layer: Layer, root: string): FileTree {
  return collect(layer, root, (read, otherwise, name) => {
    if (name === 'node_modules') return otherwise
    try {
      return read()
    } catch (error) {
      if (isRepriseError(error)) return otherwise
      throw error
    }
  })
}

type Attempt = <T>(read: () => T, otherwise: T, name: string) => T

function collect(layer: Layer, root: string, attempt: Attempt): FileTree {
  const entries = new Map<string, FileEntry>()
  const below = (folder: FolderSpot, prefix: string): void => {
    const none: readonly string[] = []
    for (const name of attempt(() => layer.tree.names(folder.node), none, '')) {
      const spot = attempt(() => layer.tree.child(folder, name), null, name)
      if (spot === null) continue
      const { node } = spot
      const path = prefix + name
      if (node.kind === 'file') {
        const bytes = attempt(() => layer.contents.whole(node.content), null, '')
        if (bytes !== null) entries.set(path, { kind: 'file', mode: node.attributes.mode, bytes })
      } else if (node.kind === 'symlink') entries.set(path, { kind: 'symlink', target: node.target })
      else if (isFolder(spot)) {
        entries.set(path, { kind: 'folder', mode: node.attributes.mode })
        below(spot, `${path}/`)
      }
    }
  }
  const top = layer.walk.find(root, { follow: true })
  below(isFolder(top) ? top : fail('ENOTDIR'), '')
  return entries
}
