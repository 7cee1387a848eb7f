/**
 * Converts the arguments of node:fs for the layer: paths, flags, modes, times, options. Values that Node
 * rejects are rejected here too.
 */
import { fileURLToPath } from 'node:url'
import { isUint8Array } from 'node:util/types'
import { fs } from '../../../real/fs.ts'

export type PathArgument = string | Uint8Array | URL

/** As it was passed: error messages show it in this form. */
export function pathText(path: PathArgument): string {
  const text =
    typeof path === 'string' ? path : isUint8Array(path) ? Buffer.from(path).toString() : fileURLToPath(path)
  if (!text.includes('\0')) return text
  throw Object.assign(
    new TypeError("The argument 'path' must be a string, Uint8Array, or URL without null bytes."),
    {
      code: 'ERR_INVALID_ARG_VALUE',
    },
  )
}

const { O_APPEND, O_CREAT, O_EXCL, O_RDONLY, O_RDWR, O_SYNC = 0, O_TRUNC, O_WRONLY } = fs.constants

const flagTexts: Readonly<Record<string, number>> = {
  r: O_RDONLY,
  'r+': O_RDWR,
  w: O_TRUNC | O_CREAT | O_WRONLY,
  'w+': O_TRUNC | O_CREAT | O_RDWR,
  a: O_APPEND | O_CREAT | O_WRONLY,
  'a+': O_APPEND | O_CREAT | O_RDWR,
}

/** `wx`, `xw`, `rs+`, `as` … and numbers. */
export function openFlags(flags: string | number | null | undefined): number {
  if (typeof flags === 'number') return flags
  const text = flags ?? 'r'
  const plain = flagTexts[text.replace(/[sx]/g, '')]
  const mayBeExclusive = !text.includes('r')
  if (plain === undefined || (text.includes('x') && !mayBeExclusive)) {
    throw Object.assign(new TypeError(`The argument 'flags' is invalid. Received ${JSON.stringify(text)}`), {
      code: 'ERR_INVALID_ARG_VALUE',
    })
  }
  return plain | (text.includes('x') ? O_EXCL : 0) | (text.includes('s') ? O_SYNC : 0)
}

export function modeBits(mode: string | number | null | undefined, otherwise: number): number {
  if (typeof mode === 'string') return Number.parseInt(mode, 8)
  return mode ?? otherwise
}

/** Seconds, a Date, or text of seconds: as nanoseconds. */
export function timeNs(time: string | number | Date): bigint {
  const ms = time instanceof Date ? time.getTime() : Number(time) * 1000
  if (!Number.isFinite(ms))
    throw Object.assign(new TypeError('The "time" argument must be a number or a Date'), {
      code: 'ERR_INVALID_ARG_TYPE',
    })
  return BigInt(Math.round(ms * 1000)) * 1000n
}

/** What to write, as bytes. */
export function bytesOf(content: unknown, encoding: BufferEncoding | null | undefined): Uint8Array {
  if (typeof content === 'string') return Buffer.from(content, encoding ?? 'utf8')
  if (ArrayBuffer.isView(content))
    return new Uint8Array(content.buffer, content.byteOffset, content.byteLength)
  throw Object.assign(
    new TypeError(
      'The "data" argument must be of type string or an instance of Buffer, TypedArray, or DataView.',
    ),
    {
      code: 'ERR_INVALID_ARG_TYPE',
    },
  )
}

/** Text in the requested encoding, or a Buffer. */
export function inEncoding(bytes: Uint8Array, encoding: string | null | undefined): string | Buffer {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return encoding === null || encoding === undefined || encoding === 'buffer'
    ? buffer
    : buffer.toString(encoding as BufferEncoding)
}

/** Options that may also be just an encoding. */
export function optionsOf<T extends object>(
  options: T | string | null | undefined,
): Partial<T> & { readonly encoding?: string | null } {
  if (typeof options === 'string') return { encoding: options } as Partial<T> & { readonly encoding: string }
  return options ?? {}
}
