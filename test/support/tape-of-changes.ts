/** A tape that says which files a run changed, written by hand: also one that no recording would write. */
import { join } from 'node:path'
import { fromDisk, fromReprise } from '../../src/scrub/scrubbed.ts'
import { createHeader, createStreamingRecorder, type RecordKind, TapeWriter } from '../../src/tape/index.ts'
import { tempFolder } from './temp-folder.ts'

export type State = {
  readonly when: 'before' | 'after'
  readonly path: string
  readonly state: 'absent' | 'file' | 'folder' | 'symlink'
  readonly mode?: number
  readonly target?: string
  readonly content?: string | Uint8Array
  readonly scrubbed?: number
}

export function tapeOfChanges(states: readonly State[], options: { readonly sealed?: boolean } = {}): string {
  const path = join(tempFolder(), 'run.tape')
  const writer = TapeWriter.open(path, fromReprise(createHeader()))
  const recorder = createStreamingRecorder(writer)
  for (const { content, scrubbed, ...state } of states) {
    const payload =
      content === undefined ? {} : { payload: recorder.payloadFromBytes(fromDisk(Buffer.from(content))) }
    recorder.record(fromDisk({ kind: 'file_state', ...state, ...payload } as RecordKind), scrubbed)
  }
  if (options.sealed === false) writer.flush()
  else
    writer.close(fromReprise({ boundaries: {}, exit: { code: 0, signal: null }, stdout: null, stderr: null }))
  return path
}
