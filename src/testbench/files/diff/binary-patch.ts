/**
 * Git's binary patch: the whole new content, then the whole old one so that it can be undone, each deflated
 * and in git's base 85.
 *
 * Always `literal`: it needs no base, and `git apply` accepts it wherever it accepts `delta`.
 */
import { deflateSync } from 'node:zlib'

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~'
const LINE_BYTES = 52

export function binaryPatch(before: Uint8Array, after: Uint8Array): string {
  return `GIT binary patch\n${literal(after)}\n${literal(before)}\n`
}

function literal(bytes: Uint8Array): string {
  const packed = deflateSync(bytes)
  const lines = [`literal ${bytes.byteLength}\n`]
  for (let at = 0; at < packed.byteLength; at += LINE_BYTES)
    lines.push(base85Line(packed.subarray(at, at + LINE_BYTES)))
  return lines.join('')
}

function base85Line(bytes: Uint8Array): string {
  const length = bytes.byteLength
  let text = String.fromCharCode(length <= 26 ? 64 + length : 96 + length - 26)
  for (let at = 0; at < length; at += 4) {
    let value = 0
    for (let next = 0; next < 4; next += 1) value = value * 256 + (bytes[at + next] ?? 0)
    let digits = ''
    for (let digit = 0; digit < 5; digit += 1) {
      digits = (ALPHABET[value % 85] ?? '') + digits
      value = Math.floor(value / 85)
    }
    text += digits
  }
  return `${text}\n`
}
