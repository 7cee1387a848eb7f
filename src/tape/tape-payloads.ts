/** Payload bytes of a tape on disk, wherever they lie. */
import { readCasEntry } from './cas.ts'
import type { Chunk, Payload } from './fields.ts'
import { payloadBytes } from './payload.ts'

export type TapePayloads = (payload: Payload | Chunk) => Uint8Array

export function tapePayloads(path: string): TapePayloads {
  return (payload) =>
    payloadBytes(payload, ({ contentHash, lenBytes }) => readCasEntry(path, contentHash, lenBytes))
}
