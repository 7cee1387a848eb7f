/**
 * Reads JSON values the way Go's decoder does, because the format's own reader is one: keys match in any
 * case, the last of two equal keys wins, null and absence are the zero value, an unknown key is ignored, and
 * a known key with a value of another type is an error.
 */
import { isObject, type Json } from '../../base/index.ts'
import type { JsonObject } from './records.ts'

export class WireError extends Error {}

export type WireObject = {
  text(name: string): string
  integer(name: string): number
  number(name: string): number
  flag(name: string): boolean
  textList(name: string): readonly string[]
  bytes(name: string): Uint8Array | null
  json(name: string): Json
  jsonObject(name: string): JsonObject | null
  jsonObjects(name: string): readonly JsonObject[]
  counts(name: string): Readonly<Record<string, number>>
  /** An object of zero values where it is absent. */
  object(name: string): WireObject
  objectOrNull(name: string): WireObject | null
  list(name: string): readonly unknown[]
  listOrNull(name: string): readonly unknown[] | null
}

export function wireObject(value: unknown, where: string): WireObject {
  if (!isObject(value)) throw new WireError(`${where || 'the document'} is ${kindOf(value)}, not an object`)
  const byName = new Map(Object.entries(value).map(([key, field]) => [key.toLowerCase(), field]))
  const path = (name: string): string => (where === '' ? name : `${where}.${name}`)
  const get = (name: string): unknown => byName.get(name.toLowerCase()) ?? null
  const expected = (name: string, wanted: string): WireError =>
    new WireError(`${path(name)} is ${kindOf(get(name))}, not ${wanted}`)
  const list = (name: string): readonly unknown[] | null => {
    const field = get(name)
    if (field === null) return null
    if (!Array.isArray(field)) throw expected(name, 'a list')
    return field
  }
  const number = (name: string): number => {
    const field = get(name)
    if (field === null) return 0
    if (typeof field !== 'number') throw expected(name, 'a number')
    return field
  }
  const jsonObject = (name: string): JsonObject | null => {
    const field = get(name)
    if (field === null) return null
    if (!isObject(field)) throw expected(name, 'an object')
    return field as JsonObject
  }
  return {
    number,
    jsonObject,
    listOrNull: list,
    list: (name) => list(name) ?? [],
    json: (name) => get(name) as Json,
    integer(name) {
      const field = number(name)
      if (!Number.isInteger(field)) throw new WireError(`${path(name)} is not a whole number`)
      return field
    },
    text(name) {
      const field = get(name)
      if (field === null) return ''
      if (typeof field !== 'string') throw expected(name, 'a string')
      return field
    },
    flag(name) {
      const field = get(name)
      if (field === null) return false
      if (typeof field !== 'boolean') throw expected(name, 'true or false')
      return field
    },
    textList(name) {
      return (list(name) ?? []).map((item, at) => {
        if (item !== null && typeof item !== 'string')
          throw new WireError(`${path(name)}[${at}] is ${kindOf(item)}, not a string`)
        return item ?? ''
      })
    },
    bytes(name) {
      const field = get(name)
      if (field === null) return null
      if (typeof field !== 'string') throw expected(name, 'base64 text')
      return base64Bytes(field, path(name))
    },
    jsonObjects(name) {
      return (list(name) ?? []).map((item, at) => {
        if (!isObject(item)) throw new WireError(`${path(name)}[${at}] is ${kindOf(item)}, not an object`)
        return item as JsonObject
      })
    },
    counts(name) {
      const entries = Object.entries(jsonObject(name) ?? {}).map(([key, count]): [string, number] => {
        if (typeof count !== 'number' || !Number.isInteger(count))
          throw new WireError(`${path(name)}.${key} is not a whole number`)
        return [key, count]
      })
      return Object.fromEntries(entries)
    },
    object: (name) => wireObject(get(name) ?? {}, path(name)),
    objectOrNull: (name) => (get(name) === null ? null : wireObject(get(name), path(name))),
  }
}

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

function base64Bytes(text: string, where: string): Uint8Array {
  const joined = text.replace(/[\r\n]/g, '')
  if (!BASE64.test(joined)) throw new WireError(`${where} is not base64`)
  return new Uint8Array(Buffer.from(joined, 'base64'))
}

function kindOf(value: unknown): string {
  if (value === null || value === undefined) return 'null'
  return Array.isArray(value) ? 'a list' : typeof value === 'object' ? 'an object' : `a ${typeof value}`
}
