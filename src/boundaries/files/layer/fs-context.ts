/** The parts from which the node:fs functions of the layer are made. */
import type { StatFacts } from './attributes.ts'
import type { Layer } from './layer.ts'
import type { OpenFiles } from './open-files.ts'

/** Creates results that are Node's own objects. `mode` has the file type in its upper bits. */
export type Shapes = {
  stats(facts: StatFacts, bigint: boolean): unknown
  dirent(name: string | Buffer, mode: number, folder: string): unknown
}

export type FsContext = {
  readonly layer: Layer
  readonly files: OpenFiles
  readonly shapes: Shapes
  /** Absolute, for a path that may be relative. `..` stays: links decide where it leads. */
  absolute(path: string): string
}
