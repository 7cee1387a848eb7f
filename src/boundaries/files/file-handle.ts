/**
 * `FileHandle` of `fs.promises.open`: a stand-in in both modes, over a descriptor. Node's own class needs a
 * native handle, which a replay does not have. Programs cannot reach that class, so they can only distinguish
 * the two by private symbols.
 */
import { EventEmitter } from 'node:events'
import { linesOf, realFiles, streamClasses } from '../../real/files.ts'
import type { AnyFunction } from '../patches.ts'
import { type Begin, type Call, promised } from './calls.ts'
import type { Describe } from './described.ts'
import { optionOf } from './described.ts'
import {
  describeClose,
  describeDescriptorCall,
  describeFstat,
  describeFtruncate,
  describeRead,
  describeReadv,
  describeWrite,
  describeWritev,
  readArguments,
} from './descriptor-calls.ts'
import type { SessionFiles } from './files-of-session.ts'
import { gatheredContent, isGathered } from './gathered-content.ts'
import { callOfLayer } from './uncaptured-layer.ts'
import { describeReadFile, describeWriteFile } from './whole-file.ts'

type Options = { readonly [name: string]: unknown } | undefined

const handles = new WeakSet<object>()

export function isStandInHandle(value: unknown): value is FileHandle {
  return typeof value === 'object' && value !== null && handles.has(value)
}

export class FileHandle extends EventEmitter {
  readonly #files: SessionFiles
  #fd: number
  #closing: Promise<void> | null = null

  constructor(files: SessionFiles, fd: number) {
    super()
    this.#files = files
    this.#fd = fd
    handles.add(this)
  }

  get fd(): number {
    return this.#fd
  }

  getAsyncId(): number {
    return -1
  }

  async appendFile(data: unknown, options?: unknown): Promise<void> {
    await this.#do('writeFile', describeWriteFile('appendFile'), [await contentOf(data), options])
  }

  async chmod(mode: unknown): Promise<void> {
    await this.#do('fchmod', describeDescriptorCall('fchmod'), [mode])
  }

  async chown(uid: unknown, gid: unknown): Promise<void> {
    await this.#do('fchown', describeDescriptorCall('fchown'), [uid, gid])
  }

  async datasync(): Promise<void> {
    await this.#do('fdatasync', describeDescriptorCall('fdatasync'), [])
  }

  async sync(): Promise<void> {
    await this.#do('fsync', describeDescriptorCall('fsync'), [])
  }

  async read(...args: unknown[]): Promise<{ bytesRead: number; buffer: unknown }> {
    const read = readArguments([this.#fd, ...args])
    const bytesRead = await this.#do('read', describeRead, read === null ? args : read.args.slice(1))
    return bare({ bytesRead: Number(bytesRead), buffer: read?.buffer })
  }

  async readv(buffers: unknown, position?: unknown): Promise<{ bytesRead: number; buffers: unknown }> {
    return bare({
      bytesRead: Number(await this.#do('readv', describeReadv, [buffers, position ?? null])),
      buffers,
    })
  }

  async readFile(options?: unknown): Promise<unknown> {
    return this.#do('readFile', describeReadFile, [options])
  }

  readLines(options: Options = {}): ReturnType<typeof linesOf> {
    return linesOf(this.createReadStream(options))
  }

  async stat(options?: unknown): Promise<unknown> {
    return this.#do('fstat', describeFstat, [options ?? {}])
  }

  async truncate(length: unknown = 0): Promise<void> {
    await this.#do('ftruncate', describeFtruncate, [length])
  }

  async utimes(atime: unknown, mtime: unknown): Promise<void> {
    await this.#do('futimes', describeDescriptorCall('futimes'), [atime, mtime])
  }

  async write(data: unknown, ...rest: unknown[]): Promise<{ bytesWritten: number; buffer: unknown }> {
    if (ArrayBuffer.isView(data) && data.byteLength === 0) return bare({ bytesWritten: 0, buffer: data })
    return bare({
      bytesWritten: Number(await this.#do('write', describeWrite, [data, ...rest])),
      buffer: data,
    })
  }

  async writev(buffers: unknown, position?: unknown): Promise<{ bytesWritten: number; buffers: unknown }> {
    return bare({
      bytesWritten: Number(await this.#do('writev', describeWritev, [buffers, position ?? null])),
      buffers,
    })
  }

  async writeFile(data: unknown, options?: unknown): Promise<void> {
    await this.#do('writeFile', describeWriteFile('writeFile'), [await contentOf(data), options])
  }

  readableWebStream(options: Options = {}): ReadableStream {
    const close = async (): Promise<void> => {
      if (optionOf(options, 'autoClose') === true) await this.close()
    }
    return new ReadableStream({
      type: 'bytes',
      autoAllocateChunkSize: 16_384,
      pull: async (controller) => {
        const view = controller.byobRequest?.view
        if (view === undefined || view === null) return
        const { bytesRead } = await this.read(view, 0, view.byteLength)
        if (bytesRead === 0) {
          controller.close()
          await close()
        }
        controller.byobRequest?.respond(bytesRead)
      },
      cancel: close,
    })
  }

  createReadStream(options: Options = {}): InstanceType<typeof streamClasses.ReadStream> {
    return streamOver(streamClasses.ReadStream, this, options)
  }

  createWriteStream(options: Options = {}): InstanceType<typeof streamClasses.WriteStream> {
    return streamOver(streamClasses.WriteStream, this, options)
  }

  close(): Promise<void> {
    if (this.#fd === -1) return this.#closing ?? Promise.resolve()
    const fd = this.#fd
    this.#closing = this.#closed(fd)
    this.#fd = -1
    return this.#closing
  }

  async #closed(fd: number): Promise<void> {
    this.emit('close')
    await this.#doWith(fd, 'close', describeClose, [])
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  async #do(name: string, describe: Describe, args: readonly unknown[]): Promise<unknown> {
    if (this.#fd === -1) throw Object.assign(new Error('file closed'), { code: 'EBADF', syscall: name })
    return this.#doWith(this.#fd, name, describe, args)
  }

  async #doWith(fd: number, name: string, describe: Describe, args: readonly unknown[]): Promise<unknown> {
    const onLayer = callOfLayer(this.#files, name, [fd, ...args])
    if (onLayer !== null) return onLayer()
    const real = name === 'readFile' ? readWhole : realFiles[name]
    const call = describe(this.#files, [fd, ...args], NO_CALLER)
    if (call === null || real === undefined) return realCall(real, [fd, ...args])
    return promised(this.#files.session, call, beginning(real))
  }
}

Object.defineProperty(FileHandle, 'name', { value: 'FileHandle' })

/** Node's have no prototype either. */
function bare<T extends object>(result: T): T {
  return Object.assign(Object.create(null), result)
}

/** With a callback Node reads a folder as if it were empty; its own handle fails, and so does this one. */
const readWhole: AnyFunction = (fd: number, ...rest: unknown[]) => {
  const callback = rest.at(-1) as AnyFunction
  realFiles.fstat?.(fd, (error: Error | null, stats: { isDirectory(): boolean } | undefined) => {
    if (error === null && stats?.isDirectory() === true)
      realFiles.read?.(fd, Buffer.alloc(1), 0, 1, null, callback)
    else realFiles.readFile?.(fd, ...rest)
  })
}

const NO_CALLER: AnyFunction = () => undefined

/** Node's own error for what it rejects. */
function realCall(real: AnyFunction | undefined, args: readonly unknown[]): Promise<unknown> {
  return new Promise((resolve, reject) => {
    real?.(...args, (error: Error | null, value: unknown) =>
      error === null ? resolve(value) : reject(error),
    )
  })
}

function beginning(real: AnyFunction): Begin {
  return (args, done) => real(...args, (error: Error | null, value: unknown) => done(error, value))
}

async function contentOf(data: unknown): Promise<unknown> {
  return isGathered(data) ? gatheredContent(data) : data
}

/** Streams use the handle's own methods: closing one closes the other. */
function streamOver<T>(
  made: new (path: never, options: never) => T,
  handle: FileHandle,
  options: Options,
): T {
  const settled = <V>(promise: Promise<V>, callback: AnyFunction, onValue: (value: V) => void): void => {
    promise.then(onValue, callback)
  }
  const fs = {
    read: (
      _fd: number,
      buffer: unknown,
      offset: unknown,
      length: unknown,
      position: unknown,
      callback: AnyFunction,
    ) =>
      settled(handle.read(buffer, offset, length, position), callback, ({ bytesRead }) =>
        callback(null, bytesRead, buffer),
      ),
    write: (
      _fd: number,
      buffer: unknown,
      offset: unknown,
      length: unknown,
      position: unknown,
      callback: AnyFunction,
    ) =>
      settled(handle.write(buffer, offset, length, position), callback, ({ bytesWritten }) =>
        callback(null, bytesWritten, buffer),
      ),
    writev: (_fd: number, buffers: unknown, position: unknown, callback: AnyFunction) =>
      settled(handle.writev(buffers, position), callback, ({ bytesWritten }) =>
        callback(null, bytesWritten, buffers),
      ),
    fsync: (_fd: number, callback: AnyFunction) => settled(handle.sync(), callback, () => callback(null)),
    close: (_fd: number, callback: AnyFunction) => settled(handle.close(), callback, () => callback(null)),
    open: () => undefined,
  }
  return Reflect.construct(made, [undefined, { ...options, fd: handle.fd, fs }])
}

/** A handle over a descriptor of the tape, or of the layer. */
export function createFileHandle(files: SessionFiles, fd: number): FileHandle {
  return new FileHandle(files, fd)
}

/** `promises.open`: the call of `open`, which returns a handle instead of a number. */
export function handleCall(files: SessionFiles, call: Call): Call {
  const handleOf = (fd: unknown): FileHandle => createFileHandle(files, Number(fd))
  const { name, path, key, args } = call
  // Not a copy: a call is an object of a class, and a copy would lack its methods.
  return {
    name,
    path,
    key,
    args,
    get names() {
      return call.names
    },
    answer: (value) => call.answer(value),
    value: (answer) => handleOf(call.value(answer)),
    recorded: (value) => handleOf(call.recorded === undefined ? value : call.recorded(value)),
  }
}
