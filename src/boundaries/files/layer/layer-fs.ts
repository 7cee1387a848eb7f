/**
 * The layer with the synchronous functions of node:fs: same names, arguments, results and errors, so that it
 * can replace the captured functions. A descriptor that is not the layer's is the process's own (a terminal,
 * a pipe) and is really used.
 */
import { createAttributeFs } from './attribute-fs.ts'
import { createCopy } from './copy-fs.ts'
import { createFileFs } from './file-fs.ts'
import type { FsContext, Shapes } from './fs-context.ts'
import type { Layer } from './layer.ts'
import { createNameFs } from './name-fs.ts'
import { createOpenFiles, type OpenFilesOptions } from './open-files.ts'
import { createRemove } from './remove-fs.ts'

export function createLayerFs(
  layer: Layer,
  options: {
    readonly cwd: () => string
    readonly shapes: Shapes
    /** The path in the layer of an absolute path. */
    readonly place?: (absolute: string) => string
  } & OpenFilesOptions,
) {
  const context: FsContext = {
    layer,
    files: createOpenFiles(layer, options),
    shapes: options.shapes,
    absolute(path) {
      const whole = path.startsWith('/') || path === '' ? path : `${options.cwd()}/${path}`
      return options.place?.(whole) ?? whole
    },
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
