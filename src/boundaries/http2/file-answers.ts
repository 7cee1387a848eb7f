/**
 * `respondWithFile` and `respondWithFD` of an HTTP/2 server, in JavaScript: Node reads the file in native code,
 * from a descriptor that a replay does not have. Here the same steps call the functions of `node:fs`, which are
 * captured, and `respond`, `write` and `end` of the stream. A recording and a replay both run this code.
 *
 * Unlike with Node's own code, the writable side of the stream is open until the file has been sent.
 *
 * Decision 0627.
 */
import { filesOwners } from '../../real/files.ts'
import { activeSession, outside } from '../context.ts'
import type { AnyFunction } from '../patches.ts'
import { type AnsweringStream, SentFile } from './sent-file.ts'

/** Node's own functions of a stream. */
export type NodesAnswers = { readonly respond: AnyFunction; readonly respondWithFD: AnyFunction }

type Headers = { [name: string | symbol]: unknown }

type Options = {
  readonly offset?: number
  readonly length?: number
  readonly statCheck?: AnyFunction
  readonly onError?: AnyFunction
  readonly waitForTrailers?: boolean
  readonly sendDate?: boolean
}

type Stat = { readonly size: number; isFile(): boolean; isDirectory(): boolean }

type Failed = Error | null

/** One call of the program. */
type Answer = {
  readonly nodes: NodesAnswers
  readonly stream: AnsweringStream
  readonly headers: Headers
  readonly options: Options
}

export function answeringWithFile(nodes: NodesAnswers): (original: AnyFunction) => AnyFunction {
  return (original) =>
    function respondWithFile(this: AnsweringStream, ...args: unknown[]): unknown {
      const [path, headers, options] = args
      if (activeSession('network') === null || !areOptions(options))
        return Reflect.apply(original, this, args)
      const answer = begun(nodes, this, headers, options)
      this.ownsFd = true
      call('open', path, 'r', (error: Failed, fd: number) => opened(answer, error, fd))
      return undefined
    }
}

export function answeringWithDescriptor(nodes: NodesAnswers): (original: AnyFunction) => AnyFunction {
  return (original) =>
    function respondWithFD(this: AnsweringStream, ...args: unknown[]): unknown {
      const [given, headers, options] = args
      const fd = descriptorOf(given)
      if (activeSession('network') === null || !areOptions(options) || fd === null)
        return Reflect.apply(original, this, args)
      const answer = begun(nodes, this, headers, options)
      const { offset = 0, length = -1, statCheck } = answer.options
      if (statCheck === undefined) send(answer, fd, offset, length)
      else call('fstat', fd, (error: Failed, stat: Stat) => checkDescriptor(answer, fd, error, stat))
      return undefined
    }
}

/** Other values are refused by Node. */
function areOptions(options: unknown): options is object | undefined {
  return options === undefined || (typeof options === 'object' && options !== null)
}

/** A descriptor, or that of a `FileHandle`, which is a stand-in in a session. */
function descriptorOf(given: unknown): number | null {
  if (typeof given === 'number') return given
  const fd: unknown = Reflect.get(Object(given), 'fd')
  return typeof fd === 'number' && typeof Reflect.get(Object(given), 'getAsyncId') === 'function' ? fd : null
}

/** Throws what Node throws at once. */
function begun(nodes: NodesAnswers, stream: AnsweringStream, given: unknown, options?: object): Answer {
  const copy: Options = { ...options }
  const { statCheck = () => undefined } = copy
  try {
    // Node checks everything else before it refuses this descriptor.
    outside(() => Reflect.apply(nodes.respondWithFD, stream, [-1, given, { ...copy, statCheck }]))
  } catch (error) {
    if (Reflect.get(Object(error), 'code') !== 'ERR_OUT_OF_RANGE') throw error
  }
  const headers: Headers = Object.assign(Object.create(null), given)
  headers[':status'] = Number(headers[':status']) | 0 || 200
  return { nodes, stream, headers, options: copy }
}

function opened(answer: Answer, error: Failed, fd: number): void {
  const { stream } = answer
  if (error) fail(answer, error)
  else if (stream.destroyed || stream.closed) closeFile(fd)
  else call('fstat', fd, (failed: Failed, stat: Stat) => checkFile(answer, fd, failed, stat))
}

function checkFile(answer: Answer, fd: number, error: Failed, stat: Stat): void {
  const { headers, options } = answer
  const refused = error ?? refusedFile(stat, options)
  if (refused !== null) {
    closeFile(fd)
    fail(answer, refused)
    return
  }
  const isFile = stat.isFile()
  const { offset = 0, length = -1 } = isFile ? options : { offset: -1 }
  if (isGone(answer) || isAnswered(answer, [stat, headers])) {
    closeFile(fd)
    return
  }
  const rest = stat.size - offset
  const size = length < 0 ? rest : Math.min(rest, length)
  if (isFile) headers['content-length'] = size
  send(answer, fd, offset | 0, isFile ? size | 0 : -1)
}

/** Node's error for what is no file. */
function refusedFile(stat: Stat, { offset, length }: Options): Error | null {
  if (stat.isFile()) return null
  if (stat.isDirectory()) return nodeError('ERR_HTTP2_SEND_FILE', 'Directories cannot be sent')
  if (offset === undefined && length === undefined) return null
  return nodeError('ERR_HTTP2_SEND_FILE_NOSEEK', 'Offset or length can only be specified for regular files')
}

function checkDescriptor(answer: Answer, fd: number, error: Failed, stat: Stat): void {
  const { stream, headers, options } = answer
  if (error) {
    stream.destroy(error)
    return
  }
  const { offset = 0, length = -1 } = options
  const part = { offset, length }
  if (isGone(answer) || isAnswered(answer, [stat, headers, part])) return
  send(answer, fd, part.offset | 0, part.length | 0)
}

/** Whether the stream has been closed since the call. */
function isGone({ nodes, stream }: Answer): boolean {
  if (!stream.destroyed && !stream.closed) return false
  try {
    // It throws Node's own error for that.
    Reflect.apply(nodes.respond, stream, [])
  } catch (error) {
    stream.destroy(error)
  }
  return true
}

/** Whether the program has refused to send the file, or has sent something else. */
function isAnswered({ stream, options }: Answer, args: readonly unknown[]): boolean {
  const { statCheck } = options
  return (statCheck !== undefined && Reflect.apply(statCheck, stream, args) === false) || stream.headersSent
}

function send({ nodes, stream, headers, options }: Answer, fd: number, offset: number, length: number): void {
  const close = stream.ownsFd === true ? () => closeFile(fd) : () => undefined
  const { waitForTrailers, sendDate } = options
  try {
    Reflect.apply(nodes.respond, stream, [headers, { waitForTrailers, sendDate }])
  } catch (error) {
    close()
    stream.destroy(error)
    return
  }
  new SentFile(stream, { offset, length, close, read: (...args) => call('read', fd, ...args) }).next()
}

function fail({ stream, options }: Answer, error: Error): void {
  const { onError } = options
  if (onError) onError(error)
  else stream.destroy(error)
}

function closeFile(fd: number): void {
  call('close', fd, (error: Failed) => {
    if (error) throw error
  })
}

/** The functions as the program finds them: Node itself opens and closes such a file with these. */
function call(name: 'open' | 'fstat' | 'read' | 'close', ...args: readonly unknown[]): void {
  const { fs } = filesOwners
  Reflect.apply(Reflect.get(fs, name) as AnyFunction, fs, args)
}

/** Like Node's own errors: they print their code. */
function nodeError(code: string, message: string): Error {
  const error = Object.assign(new Error(message), { code })
  error.stack = String(error.stack).replace(/^Error/, `Error [${code}]`)
  const print = (): string => `${error.name} [${code}]: ${error.message}`
  return Object.defineProperty(error, 'toString', { value: print, configurable: true, writable: true })
}
