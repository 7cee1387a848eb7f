/** Payload bytes of a tape on disk, wherever they lie. */
import { utf8 } from '../base/index.ts'
import { readCasEntry } from './cas.ts'
import type { Chunk, Payload } from './fields.ts'

export type TapePayloads = (payload: Payload | Chunk) => Uint8Array

export function tapePayloads(path: string): TapePayloads {
  return (payload) => {
    switch (payload.form) {
      case 'inline':
      case 'text':
        return utf8(payload.text)
      case 'base64':
        return payload.bytes
      case 'cas':
        return readCasEntry(path, payload.contentHash, payload.lenBytes)
    }
  }
}
