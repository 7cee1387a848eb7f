/**
 * Everything that a layer shows below a folder. Over an untouched layer on the disk that is the disk's own
 * tree.
 */
import { fail } from '../../boundaries/files/layer/failure.ts'
import type { Layer } from '../../boundaries/files/layer/layer.ts'
import { type FolderSpot, isFolder } from '../../boundaries/files/layer/node.ts'
import type { FileEntry, FileTree } from './diff/file-tree.ts'

export function treeOfLayer(layer: Layer, root: string): FileTree {
  const entries = new Map<string, FileEntry>()
  const below = (folder: FolderSpot, prefix: string): void => {
    for (const name of layer.tree.names(folder.node)) {
      const spot = layer.tree.child(folder, name)
      if (spot === null) continue
      const { node } = spot
      const path = prefix + name
      if (node.kind === 'file')
        entries.set(path, {
          kind: 'file',
          mode: node.attributes.mode,
          bytes: layer.contents.whole(node.content),
        })
      else if (node.kind === 'symlink') entries.set(path, { kind: 'symlink', target: node.target })
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
