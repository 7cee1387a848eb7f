import type { Chunk } from '../../tape/index.ts'

/** How many bytes a chunk on the tape has. */
export function chunkBytes(data: Chunk): number {
  switch (data.form) {
    case 'text':
      return Buffer.byteLength(data.text)
    case 'base64':
      return data.bytes.byteLength
    case 'cas':
      return data.lenBytes
  }
}
