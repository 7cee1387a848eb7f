/**
 * Canonical JSON, the input of every digest: keys sorted by their UTF-8 bytes at every level, no white space,
 * numbers as serde_json prints them (64-bit integers exact, `1.0` stays `1.0`, `-0.0` is kept). Not RFC 8785:
 * that one rounds integers and sorts by UTF-16.
 *
 * `canonicalJsonText` works on text, because a number that went through a JavaScript value has lost its
 * spelling.
 */
import { refuseTooDeep } from './json-depth.ts'
import { JsonScanError, type JsonToken, MAX_JSON_DEPTH, scanWholeJson } from './json-scan.ts'

export type Json =
  | null
  | boolean
  | number
  | bigint
  | string
  | readonly Json[]
  | { readonly [key: string]: Json }

/** What objects print, for as long as somebody keeps them. They must not change. */
export type PrintedValues = WeakMap<object, string>

export function canonicalJson(value: Json): string {
  return printValue(value, 0)
}

const ITEM_DEPTH = 2

/** An item of a list that is a member: a message of a conversation, which the next request has again. */
export function canonicalItem(value: Json, printed: PrintedValues): string {
  if (typeof value !== 'object' || value === null) return printValue(value, ITEM_DEPTH)
  const known = printed.get(value)
  if (known !== undefined) return known
  const text = printValue(value, ITEM_DEPTH)
  printed.set(value, text)
  return text
}

/** The canonical text of an object is `head`, the items with commas in between, `tail`. */
export type TextAroundList = { readonly head: string; readonly tail: string }

/** `members` are the others, with their canonical text. Without a list everything is in the head. */
export function aroundList(
  members: readonly (readonly [name: string, text: string])[],
  list: string | null,
): TextAroundList {
  const sorted = [...members].sort(([a], [b]) => compareUtf8(a, b))
  const print = ([name, text]: readonly [string, string]): string => `${JSON.stringify(name)}:${text}`
  if (list === null) return { head: `{${sorted.map(print).join(',')}}`, tail: '' }
  const before = sorted.filter(([name]) => compareUtf8(name, list) < 0).map((each) => `${print(each)},`)
  const after = sorted.filter(([name]) => compareUtf8(name, list) > 0).map((each) => `,${print(each)}`)
  return { head: `{${before.join('')}${JSON.stringify(list)}:[`, tail: `]${after.join('')}}` }
}

export function canonicalJsonText(text: string): string {
  if (hasDelicateNumber(text)) return printTree(readTree(text))
  refuseTooDeep(text)
  return canonicalJson(JSON.parse(text))
}

/**
 * True if some number could change its spelling on the way through a double. Matches inside strings too,
 * which only costs time.
 */
function hasDelicateNumber(text: string): boolean {
  return /-0|\d{16}|\d\.\d|\d[eE]/.test(text)
}

function printValue(value: Json, depth: number): string {
  if (depth > MAX_JSON_DEPTH) throw new JsonScanError('depth', 0)
  if (typeof value === 'number') return printNumber(JSON.stringify(value))
  if (typeof value === 'bigint') return value.toString()
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  if (Array.isArray(value))
    return `[${value.map((item: Json | undefined) => printValue(item ?? null, depth + 1)).join(',')}]`
  const fields = Object.entries(value as { readonly [key: string]: Json | undefined })
    .filter((entry): entry is [string, Json] => entry[1] !== undefined)
    .sort(([a], [b]) => compareUtf8(a, b))
  return `{${fields.map(([key, field]) => `${JSON.stringify(key)}:${printValue(field, depth + 1)}`).join(',')}}`
}

type Tree = string | Tree[] | Map<string, Tree>

/**
 * The value as nested maps, arrays and printed scalars. A repeated key keeps its last value, as JSON readers
 * do.
 */
function readTree(text: string): Tree {
  const open: { container: Tree[] | Map<string, Tree>; key: string }[] = []
  let root: Tree = ''
  const place = (node: Tree): void => {
    const parent = open[open.length - 1]
    if (parent === undefined) root = node
    else if (Array.isArray(parent.container)) parent.container.push(node)
    else parent.container.set(parent.key, node)
  }
  scanWholeJson(text, (token: JsonToken) => {
    switch (token.type) {
      case 'open-object':
      case 'open-array': {
        const container: Tree[] | Map<string, Tree> = token.type === 'open-array' ? [] : new Map()
        place(container)
        open.push({ container, key: '' })
        return
      }
      case 'close-object':
      case 'close-array':
        open.pop()
        return
      case 'key': {
        const parent = open[open.length - 1]
        if (parent !== undefined) parent.key = JSON.parse(text.slice(token.start, token.end))
        return
      }
      case 'number':
        return place(printNumber(text.slice(token.start, token.end)))
      case 'string':
        return place(JSON.stringify(JSON.parse(text.slice(token.start, token.end))))
      case 'literal':
        return place(text.slice(token.start, token.end))
    }
  })
  return root
}

function printTree(tree: Tree): string {
  if (typeof tree === 'string') return tree
  if (Array.isArray(tree)) return `[${tree.map(printTree).join(',')}]`
  const fields = [...tree].sort(([a], [b]) => compareUtf8(a, b))
  return `{${fields.map(([key, field]) => `${JSON.stringify(key)}:${printTree(field)}`).join(',')}}`
}

const U64_MAX = 2n ** 64n - 1n
const I64_MIN = -(2n ** 63n)

/** A number as serde_json would print what it read from this spelling. */
export function printNumber(spelling: string): string {
  if (/^-?\d+$/.test(spelling) && spelling !== '-0') {
    if (spelling.length < 16) return spelling
    const integer = BigInt(spelling)
    if (integer <= U64_MAX && integer >= I64_MIN) return spelling
  }
  return printFloat(Number(spelling), spelling)
}

/** Shortest digits are the same in JavaScript and in Rust; where the point and the exponent go is not. */
function printFloat(value: number, spelling: string): string {
  if (!Number.isFinite(value)) return spelling
  const sign = value < 0 || Object.is(value, -0) ? '-' : ''
  const [mantissa = '0', exponent = '0'] = Math.abs(value).toExponential().split('e')
  const digits = mantissa.replace('.', '')
  const point = Number(exponent) + 1
  if (value === 0) return `${sign}0.0`
  if (point >= digits.length && point <= 16) return `${sign}${digits.padEnd(point, '0')}.0`
  if (point > 0 && point <= 16) return `${sign}${digits.slice(0, point)}.${digits.slice(point)}`
  if (point > -5 && point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`
  return `${sign}${digits.slice(0, 1)}${digits.length > 1 ? `.${digits.slice(1)}` : ''}e${point - 1}`
}

/**
 * Order of the UTF-8 bytes, which is the order of code points; UTF-16 order puts U+E000..U+FFFF after the
 * surrogates.
 */
export function compareUtf8(a: string, b: string): number {
  const length = Math.min(a.length, b.length)
  for (let at = 0; at < length; at += 1) {
    const left = a.charCodeAt(at)
    const right = b.charCodeAt(at)
    if (left !== right) return codePointRank(left) - codePointRank(right)
  }
  return a.length - b.length
}

function codePointRank(unit: number): number {
  if (unit < 0xd800) return unit
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800
}
