/**
 * The layer with the synchronous face of node:fs: same names, arguments, results and errors, so that it can
 * take the place of the captured functions. A descriptor that is none of the layer's is the process's own (a
 * terminal, a pipe) and is used for real.
 */
import { createAttributeFs } from './attribute-fs.ts'
import { createCopy } from './copy-fs.ts'
import { createFileFs } from './file-fs.ts'
import type { FsContext, Shapes } from './fs-context.ts'
import type { Layer } from './layer.ts'
import { createNameFs } from './name-fs.ts'
import { createOpenFiles } from './open-files.ts'
import { createRemove } from './remove-fs.ts'

export function createLayerFs(
  layer: Layer,
  options: { readonly cwd: () => string; readonly shapes: Shapes },
) {
  const context: FsContext = {
    layer,
    files: createOpenFiles(layer),
    shapes: options.shapes,
    absolute: (path) => (path.startsWith('/') || path === '' ? path : `${options.cwd()}/${path}`),
  }
  const attributes = createAttributeFs(context)
  const names = createNameFs(context, attributes)
  const rmSync = createRemove(names, attributes)
  return {
    ...createFileFs(context),
    ...attributes,
    ...names,
    rmSync,
    cpSync: createCopy(names, attributes, rmSync),
  }
}

export type LayerFs = ReturnType<typeof createLayerFs>
