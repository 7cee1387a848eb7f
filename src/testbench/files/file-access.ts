/** Where a recording's file calls are performed, and the records of what they change. */
import {
  type ChangedFiles,
  createChangedFiles,
  type FileContent,
  type OnFileState,
} from '../../boundaries/files/changed-files.ts'
import { diskFiles, type FileAccess, layerFiles } from '../../boundaries/files/file-access.ts'
import { createLayer, type Layer } from '../../boundaries/files/layer/layer.ts'
import { createLayerFs, type LayerFs } from '../../boundaries/files/layer/layer-fs.ts'
import { nodeShapes } from '../../boundaries/files/node-shapes.ts'
import { wallNs } from '../../real/clock.ts'
import { effectiveGroups, effectiveUser, realUmask } from '../../real/credentials.ts'
import { realCwd } from '../../real/process.ts'
import type { Scrubbed, Scrubber } from '../../scrub/index.ts'
import type { Payload, TapeRecorder } from '../../tape/index.ts'
import { storePieces } from '../records/large-content.ts'

export type FilesSource = 'real' | 'overlay'

export type RecordedFileAccess = FileAccess & {
  /** Writes the current state of everything that was changed; the layer is closed after that. */
  end(): void
}

export type FileAccessOptions = {
  readonly source: FilesSource
  readonly roots: readonly string[]
  /** Our own file, which the program does not change. */
  readonly tape: string
  readonly recorder: TapeRecorder
  readonly scrubber: Scrubber
}

export function createFileAccess({
  source,
  roots,
  tape,
  recorder,
  scrubber,
}: FileAccessOptions): RecordedFileAccess {
  const overlay = source === 'overlay' ? createOverlay(roots) : null
  const changed: ChangedFiles = createChangedFiles({
    roots,
    files: overlay === null ? diskFiles : layerFiles(overlay.fs),
    onState: stateRecords(recorder, scrubber),
    isLeftOut: (path) => path === tape || path === `${tape}.cas` || path.endsWith('/node_modules'),
  })
  return {
    overlay,
    changed,
    cwd: realCwd,
    inputs: new Set(),
    end() {
      changed.end()
      overlay?.layer[Symbol.dispose]()
    },
  }
}

function createOverlay(roots: readonly string[]): { readonly layer: Layer; readonly fs: LayerFs } {
  const who = { uid: effectiveUser(), groups: effectiveGroups() }
  const layer = createLayer({ roots, nowNs: wallNs, umask: realUmask, who })
  return { layer, fs: createLayerFs(layer, { cwd: realCwd, shapes: nodeShapes }) }
}

export function stateRecords(recorder: TapeRecorder, scrubber: Scrubber): OnFileState {
  const payloadOf = (content: FileContent): Scrubbed<Payload> | null => {
    if (content === null) return null
    if (content instanceof Uint8Array) return recorder.payloadFromBytes(scrubber.bytes(content, 'received'))
    return storePieces(content.pieces, { recorder, scrubber, out: null })
  }
  return (when, path, state) => {
    const before = scrubber.hits
    const named = { kind: 'file_state', when, path: scrubber.text(path, 'sent'), state: state.state } as const
    switch (state.state) {
      case 'folder':
        return void recorder.record({ ...named, mode: state.mode }, scrubber.hits - before)
      case 'symlink': {
        const target = scrubber.text(state.target, 'received')
        return void recorder.record({ ...named, target }, scrubber.hits - before)
      }
      case 'file': {
        const payload = payloadOf(state.content)
        const kept = payload === null ? {} : { payload }
        return void recorder.record({ ...named, mode: state.mode, ...kept }, scrubber.hits - before)
      }
    }
  }
}
