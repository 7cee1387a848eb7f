/** Open files and their bytes, as in node:fs. */
import { fs } from '../../../real/fs.ts'
import {
  bytesOf,
  inEncoding,
  modeBits,
  openFlags,
  optionsOf,
  type PathArgument,
  pathText,
} from './arguments.ts'
import { during } from './failure.ts'
import type { FsContext } from './fs-context.ts'
import type { OpenFile } from './open-files.ts'

type Flags = string | number
type Mode = string | number
type ReadOptions = {
  readonly offset?: number
  readonly length?: number
  readonly position?: number | bigint | null
}
export type WriteFileOptions = {
  readonly encoding?: BufferEncoding | null
  readonly mode?: Mode
  readonly flag?: Flags
  readonly flush?: boolean
}

const READ_BYTES = 512 * 1024

export function createFileFs({ files, absolute }: FsContext) {
  const openSync = (path: PathArgument, flags: Flags = 'r', mode: Mode | null = 0o666): number => {
    const text = pathText(path)
    const bits = openFlags(flags)
    return during('open', text, () => files.open(absolute(text), bits, modeBits(mode, 0o666)))
  }

  const closeSync = (fd: number): void => (files.get(fd) === null ? fs.closeSync(fd) : files.close(fd))

  const readSync = (
    fd: number,
    buffer: NodeJS.ArrayBufferView,
    first?: number | ReadOptions | null,
    length?: number,
    position?: number | bigint | null,
  ): number => {
    const options =
      typeof first === 'object' && first !== null ? first : { offset: first ?? 0, length, position }
    const offset = options.offset ?? 0
    const count = options.length ?? buffer.byteLength - offset
    const file = files.get(fd)
    if (file === null) return fs.readSync(fd, buffer, offset, count, options.position ?? null)
    const into = new Uint8Array(buffer.buffer, buffer.byteOffset + offset, count)
    return during('read', undefined, () => files.read(file, into, place(options.position)))
  }

  const writeSync = (
    fd: number,
    content: unknown,
    first?: number | ReadOptions | null,
    second?: number | BufferEncoding | null,
    position?: number | null,
  ): number => {
    const file = files.get(fd)
    if (file === null) return Reflect.apply(fs.writeSync, fs, [fd, content, first, second, position])
    return during('write', undefined, () => {
      if (typeof content === 'string')
        return files.write(
          file,
          Buffer.from(content, encodingOf(second)),
          place(typeof first === 'number' ? first : null),
        )
      const options =
        typeof first === 'object' && first !== null
          ? first
          : { offset: first ?? 0, length: lengthOf(second), position }
      const bytes = bytesOf(content, null)
      const offset = options.offset ?? 0
      return files.write(
        file,
        bytes.subarray(offset, offset + (options.length ?? bytes.byteLength - offset)),
        place(options.position),
      )
    })
  }

  const whole = (file: OpenFile): Uint8Array => {
    const parts: Uint8Array[] = []
    for (;;) {
      const part = new Uint8Array(
        Math.max(
          1,
          Math.min(READ_BYTES, file.kind === 'file' ? file.node.content.sizeBytes + 1 : READ_BYTES),
        ),
      )
      const got = during('read', undefined, () => files.read(file, part, null))
      if (got === 0) return parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts)
      parts.push(part.subarray(0, got))
    }
  }

  const using = <T>(target: PathArgument | number, flags: Flags, mode: Mode, use: (fd: number) => T): T => {
    if (typeof target === 'number') return use(target)
    const fd = openSync(target, flags, mode)
    try {
      return use(fd)
    } finally {
      closeSync(fd)
    }
  }

  const writeFileSync = (
    target: PathArgument | number,
    content: unknown,
    options?: WriteFileOptions | BufferEncoding | null,
  ): void => {
    const { encoding, mode, flag } = optionsOf<WriteFileOptions>(options)
    const bytes = bytesOf(content, encoding as BufferEncoding | null)
    using(target, flag ?? 'w', mode ?? 0o666, (fd) => {
      for (let done = 0; done < bytes.byteLength; )
        done += writeSync(fd, bytes, done, bytes.byteLength - done, null)
    })
  }

  const ftruncateSync = (fd: number, length: number | null = 0): void => {
    const file = files.get(fd)
    if (file === null) return void fs.ftruncateSync(fd, length ?? 0)
    during('ftruncate', undefined, () => files.truncate(file, Math.max(0, length ?? 0)))
  }

  return {
    openSync,
    closeSync,
    readSync,
    writeSync,
    ftruncateSync,
    writeFileSync,
    readvSync(fd: number, buffers: readonly NodeJS.ArrayBufferView[], position?: number | null): number {
      return inTurn(buffers, position, (buffer, at) => readSync(fd, buffer, 0, buffer.byteLength, at))
    },
    writevSync(fd: number, buffers: readonly NodeJS.ArrayBufferView[], position?: number | null): number {
      return inTurn(buffers, position, (buffer, at) => writeSync(fd, buffer, 0, buffer.byteLength, at))
    },
    readFileSync(
      target: PathArgument | number,
      options?: { readonly encoding?: string | null; readonly flag?: Flags } | string | null,
    ): string | Buffer {
      const { encoding, flag } = optionsOf(options)
      return using(target, flag ?? 'r', 0o666, (fd) => {
        const file = files.get(fd)
        return inEncoding(file === null ? fs.readFileSync(fd) : whole(file), encoding)
      })
    },
    appendFileSync(
      target: PathArgument | number,
      content: unknown,
      options?: WriteFileOptions | BufferEncoding | null,
    ): void {
      const given = optionsOf<WriteFileOptions>(options)
      writeFileSync(target, content, {
        ...given,
        encoding: given.encoding as BufferEncoding,
        flag: given.flag ?? 'a',
      })
    },
    truncateSync(target: PathArgument | number, length: number | null = 0): void {
      using(target, 'r+', 0o666, (fd) => ftruncateSync(fd, length))
    },
    // Content in memory needs no sync.
    fsyncSync: (fd: number): void => (files.get(fd) === null ? fs.fsyncSync(fd) : undefined),
    fdatasyncSync: (fd: number): void => (files.get(fd) === null ? fs.fdatasyncSync(fd) : undefined),
  }
}

/** For Node, null, -1 and a missing position mean the current position. */
function place(position: number | bigint | null | undefined): number | null {
  const at = Number(position ?? -1)
  return at < 0 ? null : at
}

function encodingOf(value: number | BufferEncoding | null | undefined): BufferEncoding {
  return typeof value === 'string' ? value : 'utf8'
}

function lengthOf(value: number | BufferEncoding | null | undefined): number | undefined {
  return typeof value === 'number' ? value : undefined
}

function inTurn(
  buffers: readonly NodeJS.ArrayBufferView[],
  position: number | null | undefined,
  each: (buffer: NodeJS.ArrayBufferView, at: number | null) => number,
): number {
  let done = 0
  for (const buffer of buffers) {
    const count = each(buffer, typeof position === 'number' ? position + done : null)
    done += count
    if (count < buffer.byteLength) break
  }
  return done
}
