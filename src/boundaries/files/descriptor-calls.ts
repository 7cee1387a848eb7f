/**
 * Calls about open files: `open`, `close`, `read`, `write` and the others that take a descriptor. A
 * descriptor that the session did not open (a terminal, a pipe, one of a loader) is left to the original.
 */
import { noteDescriptorWrite, noteOutputClosed, outputOf } from '../stdio/written-by-descriptor.ts'
import { numberOptions, openOptions } from './call-options.ts'
import { fsCall, resultOf } from './calls.ts'
import type { Describe } from './described.ts'
import { describeCall, isCapturedFile, namedFile } from './described.ts'
import type { OpenedFile, SessionFiles } from './files-of-session.ts'
import { flagBits, OpenFile } from './open-file.ts'
import { plainArgument } from './path-calls.ts'
import { statsFrom, statsJson } from './shapes.ts'
import { bytesOf } from './whole-file.ts'
import { outputNamed } from './whose-file.ts'

export const describeOpen: Describe = (files, args, callee) => {
  const file = namedFile(files, args[0])
  const flags = args[1] ?? 'r'
  const output = file === null ? null : outputNamed(file.absolute)
  if (file !== null && output !== null) return describeCall(files, 'open', [file], args, { output })
  if (file === null || !isCapturedFile(files, file, flagBits(flags) !== 0, callee)) return null
  const opened = (fd: number): number => {
    files.open.set(fd, new OpenFile(files, file, flags))
    return fd
  }
  return describeCall(files, 'open', [file], args, {
    also: openOptions(
      files,
      flags === 'r' ? null : typeof flags === 'number' ? flags : String(flags),
      args[2],
    ),
    answer: (value) => fsCall({ name: 'open', path: file.portable }, { fd: Number(value) }),
    value: (answer) => opened(descriptorOf(resultOf(answer))),
    recorded: (value) => opened(Number(value)),
  })
}

function descriptorOf(result: ReturnType<typeof resultOf>): number {
  const fd = typeof result === 'object' && result !== null && 'fd' in result ? result.fd : -1
  return typeof fd === 'number' ? fd : -1
}

export const describeClose: Describe = (files, args) => {
  const fd = Number(args[0])
  const opened = openedAs(files, args[0])
  if (opened === null) noteOutputClosed(fd)
  if (opened === null) return null
  // From now on the number may be assigned again.
  files.open.delete(fd)
  return opened.closeCall(args)
}

/**
 * `(fd, buffer, offset, length, position)`, `(fd, buffer, options)`, `(fd, options)`, `(fd)`. The buffer is
 * created, as Node does, if there is none.
 */
export const readArguments = (
  args: readonly unknown[],
): { readonly buffer: unknown; readonly args: readonly unknown[] } | null => {
  const [fd, first, second, third, fourth] = args
  const given = ArrayBuffer.isView(first) ? first : undefined
  const options = given === undefined ? first : second
  const named =
    typeof options === 'object' && options !== null ? (options as { readonly [name: string]: unknown }) : null
  const buffer = given ?? named?.buffer ?? Buffer.alloc(16_384)
  if (!ArrayBuffer.isView(buffer)) return null
  const offset = named === null ? (second ?? 0) : (named.offset ?? 0)
  const length =
    named === null
      ? (third ?? buffer.byteLength - Number(offset))
      : (named.length ?? buffer.byteLength - Number(offset))
  const position = named === null ? (fourth ?? null) : (named.position ?? null)
  return { buffer, args: [fd, buffer, offset, length, position] }
}

export const describeRead: Describe = (files, args) => {
  const opened = openedAs(files, args[0])
  const read = readArguments(args)
  if (opened === null || read === null) return null
  const [, buffer, offset, length, position] = read.args
  const view = bytesOf(buffer, null)
  const [from, size] = [Number(offset), Number(length)]
  if (
    !Number.isInteger(from) ||
    !Number.isInteger(size) ||
    from < 0 ||
    size < 0 ||
    from + size > view.byteLength
  )
    return null
  return opened.readCall('read', read.args, [view.subarray(from, from + size)], positionOf(position))
}

export const describeReadv: Describe = (files, args) => {
  const opened = openedAs(files, args[0])
  if (opened === null || !Array.isArray(args[1]) || !args[1].every((each) => ArrayBuffer.isView(each)))
    return null
  const views = args[1].map((each) => bytesOf(each, null))
  return opened.readCall('readv', args, views, positionOf(args[2]))
}

/** `(fd, buffer, offset, length, position)`, `(fd, buffer, options)`, `(fd, text, position, encoding)`. */
export const describeWrite: Describe = (files, args) => {
  const opened = openedAs(files, args[0])
  if (opened === null && outputOf(args[0]) === null) return null
  const written = writtenBy(args)
  if (written === null) return null
  if (opened !== null) return opened.writeCall('write', args, written.bytes, written.position)
  noteDescriptorWrite(args[0], written.bytes)
  return null
}

function writtenBy(
  args: readonly unknown[],
): { readonly bytes: Uint8Array; readonly position: number | null } | null {
  const [, data, second, third, fourth] = args
  if (typeof data === 'string')
    return { bytes: bytesOf(data, typeof third === 'string' ? third : null), position: positionOf(second) }
  if (!ArrayBuffer.isView(data)) return null
  const named =
    typeof second === 'object' && second !== null ? (second as { readonly [name: string]: unknown }) : null
  const offset = Number((named === null ? second : named.offset) ?? 0)
  const whole = bytesOf(data, null)
  const length = Number((named === null ? third : named.length) ?? whole.byteLength - offset)
  if (
    !Number.isInteger(offset) ||
    !Number.isInteger(length) ||
    offset < 0 ||
    length < 0 ||
    offset + length > whole.byteLength
  )
    return null
  return {
    bytes: whole.subarray(offset, offset + length),
    position: positionOf(named === null ? fourth : named.position),
  }
}

export const describeWritev: Describe = (files, args) => {
  const opened = openedAs(files, args[0])
  if (
    (opened === null && outputOf(args[0]) === null) ||
    !Array.isArray(args[1]) ||
    !args[1].every((each) => ArrayBuffer.isView(each))
  )
    return null
  const bytes = Buffer.concat(args[1].map((each) => bytesOf(each, null)))
  if (opened !== null) return opened.writeCall('writev', args, bytes, positionOf(args[2]))
  noteDescriptorWrite(args[0], bytes)
  return null
}

export const describeFtruncate: Describe = (files, args) =>
  openedAs(files, args[0])?.truncateCall('ftruncate', args, Number(args[1] ?? 0)) ?? null

export const describeFstat: Describe = (files, args) => {
  const opened = openedAs(files, args[0])
  return (
    opened?.call('fstat', args, {
      answer: (value) => fsCall({ name: 'fstat', path: opened.file.portable }, statsJson(value)),
      value: (answer) => statsFrom(resultOf(answer)),
    }) ?? null
  )
}

/** `fsync`, `fchmod` and so on: no result. */
export function describeDescriptorCall(name: string): Describe {
  return (files, args) => {
    const numbers = args.slice(1).filter((each) => each !== undefined)
    return (
      openedAs(files, args[0])?.call(name, args, {
        also: numberOptions(files, numbers.map(plainArgument)),
        value: () => undefined,
      }) ?? null
    )
  }
}

function openedAs(files: SessionFiles, fd: unknown): OpenedFile | null {
  return typeof fd === 'number' ? (files.open.get(fd) ?? null) : null
}

function positionOf(position: unknown): number | null {
  if (typeof position === 'bigint') return Number(position)
  return typeof position === 'number' && position >= 0 ? position : null
}
