/**
 * Puts what a handle reads and writes on the active tape, scrubbed: found content as `file_read`, a miss and
 * a listing as `fs_call`, a write as `file_write`, a deletion as `file_delete`, all with the path
 * `agent-state:SESSION/KEY`.
 *
 * What is stored is never changed by this: only the records are scrubbed. Loaded by ./state-tape.ts when
 * there is a tape.
 */
import { contentHash, label } from '../base/index.ts'
import { realEnv } from '../real/index.ts'
import { createScrubber, type Scrubbed, type Scrubber } from '../scrub/index.ts'
import { activeRecorder } from '../tape/active-recorder.ts'
import type { RecordKind, TapeRecorder } from '../tape/index.ts'
import type { StateRecords } from './contract.ts'
import { pathOf } from './state-path.ts'

export function createStateRecords(): StateRecords {
  let scrubber: Scrubber | null = null
  const record = (build: (scrub: Scrubber, recorder: TapeRecorder) => Scrubbed<RecordKind>): void => {
    const recorder = activeRecorder()
    if (recorder === null) return
    scrubber ??= createScrubber({ env: realEnv })
    const before = scrubber.hits
    const kind = build(scrubber, recorder)
    recorder.record(kind, scrubber.hits - before)
  }
  const content = (kind: 'file_read' | 'file_write', session: string, key: string, bytes: Uint8Array): void =>
    record((scrub, recorder) => {
      const scrubbed = scrub.bytes(bytes, 'received')
      const path = scrub.text(pathOf(session, key), 'sent')
      return {
        kind,
        path,
        contentHash: contentHash(scrubbed),
        lenBytes: scrubbed.byteLength,
        payload: recorder.payloadFromBytes(scrubbed),
      }
    })
  const call = (name: 'state_read' | 'state_list', path: string, result: readonly string[] | null): void =>
    record((scrub) => ({
      kind: 'fs_call',
      call: label(name),
      path: scrub.text(path, 'sent'),
      result: scrub.value(result, 'received'),
      error: null,
    }))
  return {
    read(session, key, entry) {
      if (entry === null) call('state_read', pathOf(session, key), null)
      else content('file_read', session, key, entry.content)
    },
    list: (session, keys) => call('state_list', pathOf(session, ''), keys),
    write: (session, key, bytes) => content('file_write', session, key, bytes),
    remove: (session, key) =>
      record((scrub) => ({ kind: 'file_delete', path: scrub.text(pathOf(session, key), 'sent') })),
  }
}
