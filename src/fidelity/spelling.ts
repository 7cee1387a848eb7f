/**
 * How a value is printed in a sentence, and in the report as data. Both are bounded: a path of
 * sixty megabytes on a hostile tape must not become a sentence of sixty megabytes.
 */
import type { Json } from '../base/index.ts'
import type { Chunk, HeaderPairs, Payload } from '../tape/fields.ts'
import { jsonText } from './json-text.ts'
import type { FieldRule } from './rules.ts'

/** Longer texts are cut in sentences and in `expected` and `actual`. */
const MAX_VALUE_CHARS = 4000

export function cut(text: string, max = MAX_VALUE_CHARS): string {
  if (text.length <= max) return text
  return `${text.slice(0, max)}… (${text.length - max} more characters)`
}

/** The value of a field as it follows `recorded=` and `replay=`. */
export function spell(rule: FieldRule, value: unknown): string {
  switch (rule.spelling) {
    case 'ms':
      return `${String(value)}ms`
    case 'variant':
      return variant(String(value))
    case 'debug':
      return cut(rustDebug(value))
    case 'plain':
      return cut(plain(rule, value))
  }
}

/** The value of a field as data: bounded, and the same on both sides of a comparison. */
export function asData(rule: FieldRule, value: unknown): Json {
  if (value === undefined || value === null) return null
  if (rule.shape === 'payload') return (value as Payload).contentHash
  if (rule.shape === 'chunk') return chunkText(value as Chunk)
  return bounded(value as Json)
}

/** JSON no larger than a sentence; what is larger becomes cut JSON text. */
export function bounded(value: Json): Json {
  if (typeof value === 'string') return cut(value)
  if (typeof value !== 'object' || value === null) return value
  const text = jsonText(value)
  return text.length <= MAX_VALUE_CHARS ? value : cut(text)
}

function plain(rule: FieldRule, value: unknown): string {
  if (value === undefined || value === null) return 'null'
  switch (rule.shape) {
    case 'payload':
      return (value as Payload).contentHash
    case 'chunk':
      return chunkText(value as Chunk)
    case 'headers':
      return jsonText(value as HeaderPairs)
    case 'json':
    case 'conversation':
      return jsonText(value as Json)
    case 'plain':
      return typeof value === 'object' ? jsonText(value as Json) : String(value)
  }
}

function chunkText(chunk: Chunk): string {
  switch (chunk.form) {
    case 'text':
      return JSON.stringify(cut(chunk.text))
    case 'base64':
      return `base64:${cut(Buffer.from(chunk.bytes).toString('base64'))}`
    case 'cas':
      return chunk.contentHash
  }
}

function variant(name: string): string {
  return name.slice(0, 1).toUpperCase() + name.slice(1)
}

/** A string, a list of strings, or an optional string, as Rust's `{:?}` prints it. */
export function rustDebug(value: unknown): string {
  if (value === null || value === undefined) return 'None'
  if (Array.isArray(value)) return `[${value.map((item) => rustText(String(item))).join(', ')}]`
  if (typeof value === 'number') return `Some(${value})`
  return `Some(${rustText(String(value))})`
}

/**
 * Rust escapes what does not print: controls, separators other than the space, format characters, unassigned
 * and private ones.
 */
const unprinted = (): RegExp => /[\p{Cc}\p{Cf}\p{Cn}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Mn}\p{Me}]|(?! )\p{Zs}/gu

function rustText(text: string): string {
  const escaped = text.replace(/["\\]/g, '\\$&').replace(unprinted(), (char) => {
    const known = RUST_ESCAPES[char]
    return known ?? `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`
  })
  return `"${escaped}"`
}

const RUST_ESCAPES: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t', '\0': '\\0' }
