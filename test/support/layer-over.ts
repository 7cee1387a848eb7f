/** A layer over a folder of the disk, with Node's own result objects. */
import type nodeFs from 'node:fs'
import type { StatFacts } from '../../src/boundaries/files/layer/attributes.ts'
import type { Shapes } from '../../src/boundaries/files/layer/fs-context.ts'
import { createLayer, type Layer, type LayerOptions } from '../../src/boundaries/files/layer/layer.ts'
import { createLayerFs } from '../../src/boundaries/files/layer/layer-fs.ts'
import type { SyncFs } from './fs-scripts.ts'

export function layerOver(
  root: string,
  options: Partial<LayerOptions> = {},
): { readonly layer: Layer; readonly fs: SyncFs } {
  const layer = createLayer({
    roots: [root],
    nowNs: () => BigInt(Date.now()) * 1_000_000n,
    umask: () => process.umask(),
    who: {
      uid: process.geteuid?.() ?? 0,
      groups: [process.getegid?.() ?? 0, ...(process.getgroups?.() ?? [])],
    },
    ...options,
  })
  return { layer, fs: createLayerFs(layer, { cwd: () => process.cwd(), shapes }) as object as SyncFs }
}

const kindOf = (mode: number) => {
  const type = mode & 0o170000
  return {
    isFile: () => type === 0o100000,
    isDirectory: () => type === 0o040000,
    isSymbolicLink: () => type === 0o120000,
  }
}

const shapes: Shapes = {
  stats: (facts: StatFacts) =>
    ({
      ...facts,
      ...kindOf(facts.mode),
      mtimeMs: Number(facts.mtimeNs / 1_000_000n),
    }) as object as nodeFs.Stats,
  dirent: (name, mode) => ({ name, ...kindOf(mode) }),
}
