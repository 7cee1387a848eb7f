/**
 * Bytes that are too many for memory, in one temporary file with slots of doubling size. The file is created
 * in a folder of mode 0700, and both are unlinked while it is open: nothing remains after an exception or a
 * kill.
 */
import { fs } from '../../../real/fs.ts'
import { realTmpdir } from '../../../real/process.ts'

const SMALLEST_SLOT_BYTES = 64 * 1024

export type Slot = { readonly offset: number; readonly capacityBytes: number }

export type Spill = Disposable & {
  /** A slot for at least that many bytes. Its first content is undefined. */
  take(sizeBytes: number): Slot
  giveBack(slot: Slot): void
  read(slot: Slot, into: Uint8Array, position: number): void
  write(slot: Slot, bytes: Uint8Array, position: number): void
}

export function createSpill(temp: () => string = realTmpdir): Spill {
  const free = new Map<number, number[]>()
  let fd: number | null = null
  let end = 0
  const open = (): number => {
    fd ??= openUnlinked(temp())
    return fd
  }
  return {
    take(sizeBytes) {
      let capacityBytes = SMALLEST_SLOT_BYTES
      while (capacityBytes < sizeBytes) capacityBytes *= 2
      const offset = free.get(capacityBytes)?.pop() ?? end
      if (offset === end) end += capacityBytes
      return { offset, capacityBytes }
    },
    giveBack({ offset, capacityBytes }) {
      const slots = free.get(capacityBytes) ?? []
      slots.push(offset)
      free.set(capacityBytes, slots)
    },
    read(slot, into, position) {
      for (let filled = 0; filled < into.byteLength; ) {
        const read = fs.readSync(
          open(),
          into,
          filled,
          into.byteLength - filled,
          slot.offset + position + filled,
        )
        // Beyond the written part there are only zeros.
        if (read === 0) return void into.fill(0, filled)
        filled += read
      }
    },
    write(slot, bytes, position) {
      for (let written = 0; written < bytes.byteLength; ) {
        written += fs.writeSync(
          open(),
          bytes,
          written,
          bytes.byteLength - written,
          slot.offset + position + written,
        )
      }
    },
    [Symbol.dispose]() {
      if (fd !== null) fs.closeSync(fd)
      fd = null
    },
  }
}

function openUnlinked(temp: string): number {
  const folder = fs.mkdtempSync(`${temp}/reprise-layer-`)
  try {
    return fs.openSync(`${folder}/spill`, 'wx+', 0o600)
  } finally {
    fs.rmSync(folder, { recursive: true, force: true })
  }
}
