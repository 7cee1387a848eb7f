/**
 * What changed in the tools, prompts, resources and templates that a server offers: added, removed, renamed,
 * or changed inside.
 */
import {
  canonicalJson,
  isObject,
  type Json,
  type JsonObject,
  objectsOf,
  textOf,
} from '../../../base/index.ts'
import type { FieldChange, McpChange } from './change.ts'
import { schemaChanges, step } from './schema-changes.ts'
import type { OfferArea } from './server-view.ts'

type Offers = ReadonlyMap<string, JsonObject>

export function offerChanges(server: string, area: OfferArea, before: Offers, after: Offers): McpChange[] {
  const gone = [...before.keys()].filter((name) => !after.has(name))
  const come = [...after.keys()].filter((name) => !before.has(name))
  const renamed = new Map<string, string>()
  for (const name of gone) {
    const twin = come.find(
      (other) => ![...renamed.values()].includes(other) && isTwin(before.get(name), after.get(other)),
    )
    if (twin !== undefined) renamed.set(name, twin)
  }
  const whole = (
    name: string,
    change: McpChange['change'],
    left: Json,
    right: Json,
    breaking: boolean,
  ): McpChange => {
    return { server, area, name, change, path: null, before: left, after: right, breaking }
  }
  return [
    ...[...renamed].map(([name, twin]) => whole(name, 'renamed', name, twin, true)),
    ...gone.filter((name) => !renamed.has(name)).map((name) => whole(name, 'removed', name, null, true)),
    ...come
      .filter((name) => ![...renamed.values()].includes(name))
      .map((name) => whole(name, 'added', null, name, false)),
    ...[...before].flatMap(([name, offer]) => {
      const other = after.get(name)
      return other === undefined
        ? []
        : insideChanges(offer, other).map((change): McpChange => ({ server, area, name, ...change }))
    }),
  ]
}

/**
 * The same tool under another name: it must have a description or schema, or every two bare tools would
 * match.
 */
function isTwin(left: JsonObject | undefined, right: JsonObject | undefined): boolean {
  if (left === undefined || right === undefined || textOf(left.description) === null) return false
  return canonicalJson(unnamed(left)) === canonicalJson(unnamed(right))
}

function unnamed({
  name: _name,
  title: _title,
  uri: _uri,
  uriTemplate: _template,
  ...rest
}: JsonObject): JsonObject {
  return rest
}

function insideChanges(before: JsonObject, after: JsonObject): FieldChange[] {
  const keys = new Set([...Object.keys(before), ...Object.keys(after)])
  return [...keys].flatMap((key) => {
    const [left, right] = [before[key], after[key]]
    if (left !== undefined && right !== undefined && canonicalJson(left) === canonicalJson(right)) return []
    return fieldChanges(key, left, right)
  })
}

function fieldChanges(key: string, left: Json | undefined, right: Json | undefined): FieldChange[] {
  const path = `$${step(key)}`
  switch (key) {
    case 'inputSchema':
      return schemaChanges(left ?? {}, right ?? {}, 'sent', path)
    case 'outputSchema':
      // A new promise breaks no client; a removed one does.
      if (left === undefined || right === undefined) return [plain(path, left, right, right === undefined)]
      return schemaChanges(left, right, 'received', path)
    case 'arguments':
      return argumentChanges(left, right, path)
    case 'mimeType':
      return [plain(path, left, right, true)]
    default:
      return [plain(path, left, right, false)]
  }
}

/** The arguments of a prompt, by name: a new one breaks if it is required, a removed one always. */
function argumentChanges(left: Json | undefined, right: Json | undefined, path: string): FieldChange[] {
  const [before, after] = [byName(left), byName(right)]
  const isRequired = (argument: JsonObject | undefined): boolean => argument?.required === true
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((name) => {
    const [old, now] = [before.get(name), after.get(name)]
    const place = `${path}${step(name)}`
    if (old === undefined || now === undefined)
      return [plain(place, old, now, now === undefined || isRequired(now))]
    if (canonicalJson(old) === canonicalJson(now)) return []
    return [plain(place, old, now, isRequired(now) && !isRequired(old))]
  })
}

function byName(list: Json | undefined): ReadonlyMap<string, JsonObject> {
  return new Map(
    objectsOf(list).flatMap((item) => (typeof item.name === 'string' ? [[item.name, item] as const] : [])),
  )
}

function plain(
  path: string,
  left: Json | undefined,
  right: Json | undefined,
  breaking: boolean,
): FieldChange {
  const change = left === undefined ? 'added' : right === undefined ? 'removed' : 'changed'
  return { path, change, before: left ?? null, after: right ?? null, breaking }
}

/** The capabilities of a server, feature by feature: a removed one breaks. */
export function capabilityChanges(
  server: string,
  before: Json | undefined,
  after: Json | undefined,
): McpChange[] {
  const [left, right] = [before, after].map((value): JsonObject => (isObject(value) ? value : {})) as [
    JsonObject,
    JsonObject,
  ]
  return [...new Set([...Object.keys(left), ...Object.keys(right)])].flatMap((name): McpChange[] => {
    const [old, now] = [left[name], right[name]]
    if (old === undefined || now === undefined)
      return [{ server, area: 'capability', name, ...plain(`$${step(name)}`, old, now, now === undefined) }]
    if (canonicalJson(old) === canonicalJson(now)) return []
    const [inner, outer] = [isObject(old) ? old : {}, isObject(now) ? now : {}]
    return [...new Set([...Object.keys(inner), ...Object.keys(outer)])].flatMap((flag): McpChange[] => {
      const [was, is] = [inner[flag], outer[flag]]
      if (was !== undefined && is !== undefined && canonicalJson(was) === canonicalJson(is)) return []
      const breaking = is === undefined || is === false
      return [
        { server, area: 'capability', name, ...plain(`$${step(name)}${step(flag)}`, was, is, breaking) },
      ]
    })
  })
}
