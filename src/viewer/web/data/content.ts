/** Contents: text or bytes in the document, or stored ones that are fetched in parts when they are opened. */
import { type Content, ViewerProblem } from '../../protocol.ts'
import { source } from './source.ts'

/** The most that one call of `payload` returns. */
const PART_BYTES = 4 * 1024 * 1024
/** Shown at once; more on request. */
export const FIRST_BYTES = 256 * 1024

export type LoadedContent = {
  readonly bytes: Uint8Array
  /** The text, or null if the bytes are not UTF-8. */
  readonly text: string | null
  readonly totalBytes: number
}

export function contentSize(content: Content): number {
  switch (content.form) {
    case 'text':
      return new TextEncoder().encode(content.text).length
    case 'bytes':
      return Math.floor((content.base64.replace(/=+$/, '').length * 3) / 4)
    case 'stored':
      return content.sizeBytes
  }
}

export async function loadContent(
  item: string,
  content: Content,
  mostBytes = FIRST_BYTES,
): Promise<LoadedContent> {
  switch (content.form) {
    case 'text': {
      const bytes = new TextEncoder().encode(content.text)
      return { bytes, text: content.text, totalBytes: bytes.length }
    }
    case 'bytes': {
      const bytes = fromBase64(content.base64)
      return { bytes, text: decodeText(bytes, false), totalBytes: bytes.length }
    }
    case 'stored': {
      if (content.missing) throw missing()
      const end = Math.min(content.sizeBytes, mostBytes)
      const parts: Uint8Array[] = []
      for (let at = 0; at < end; at += PART_BYTES)
        parts.push(await source().payload(item, content.ref, at, Math.min(end, at + PART_BYTES)))
      const bytes = join(parts)
      return { bytes, text: decodeText(bytes, end < content.sizeBytes), totalBytes: content.sizeBytes }
    }
  }
}

function missing(): ViewerProblem {
  const message = 'The stored content is not there.'
  return new ViewerProblem({
    code: 'cas-missing',
    message,
    hint: 'It was deleted, or left out of an export.',
  })
}

/** UTF-8 text, or null. A text that is cut may end in the middle of a character, which is dropped. */
function decodeText(bytes: Uint8Array, cut: boolean): string | null {
  if (bytes.includes(0)) return null
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  try {
    return decoder.decode(bytes, { stream: cut })
  } catch (error) {
    if (error instanceof TypeError) return null
    throw error
  }
}

export function fromBase64(text: string): Uint8Array {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
}

/** Indented JSON, or null if the text is not JSON. */
export function formatJson(text: string): string | null {
  if (!/^\s*[[{"]/.test(text)) return null
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}

/** Bytes as a table of offsets, hexadecimal digits and printable characters. */
export function hexTable(bytes: Uint8Array): string {
  const lines: string[] = []
  for (let at = 0; at < bytes.length; at += 16) {
    const row = [...bytes.subarray(at, at + 16)]
    const digits = row.map((byte) => byte.toString(16).padStart(2, '0')).join(' ')
    const letters = row.map((byte) => (byte > 31 && byte < 127 ? String.fromCharCode(byte) : '.')).join('')
    lines.push(`${at.toString(16).padStart(8, '0')}  ${digits.padEnd(47)}  ${letters}`)
  }
  return lines.join('\n')
}

function join(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}
