/**
 * Signs the seal of a finished tape. The process that was recorded never has the private key. A tape without a
 * seal stays as it is, and so does a signed one.
 */
import { utf8 } from '../base/index.ts'
import { fromSystemError } from '../errors/index.ts'
import { fs } from '../real/fs.ts'
import type { Signer } from '../real/signing.ts'
import { fromDisk } from '../scrub/scrubbed.ts'
import type { RecordEvent } from './parser.ts'
import { readTapeEvents } from './reader.ts'
import type { TapeRecord } from './record.ts'
import { encodeSigned } from './seal-signature.ts'

export function signTape(path: string, signer: Signer): void {
  let last: RecordEvent | null = null
  for (const event of readTapeEvents(path)) last = event.type === 'record' ? event : null
  if (last === null) return
  const { kind, ...stamp } = fromDisk<TapeRecord>(last.record)
  if (kind.kind !== 'tape_seal' || kind.signature !== undefined) return
  // A signed line is longer than the unsigned one that it replaces.
  const line = utf8(`${encodeSigned({ ...stamp, kind }, signer)}\n`)
  try {
    const descriptor = fs.openSync(path, 'r+')
    try {
      fs.writeSync(descriptor, line, 0, line.byteLength, last.offset)
    } finally {
      fs.closeSync(descriptor)
    }
  } catch (error) {
    throw fromSystemError(error, 'write', path)
  }
}
