/**
 * Values as OTLP/JSON attributes: integers as strings, lists as arrays, objects as their JSON text; null and
 * undefined are left out.
 */
export type Attribute = { readonly key: string; readonly value: AttributeValue }
type AttributeValue =
  | { readonly stringValue: string }
  | { readonly boolValue: boolean }
  | { readonly intValue: string }
  | { readonly doubleValue: number }
  | { readonly arrayValue: { readonly values: readonly AttributeValue[] } }

export function attributes(facts: { readonly [key: string]: unknown }): Attribute[] {
  return Object.entries(facts).flatMap(([key, value]) =>
    value === null || value === undefined ? [] : [attribute(key, value)],
  )
}

export function attribute(key: string, value: unknown): Attribute {
  return { key, value: otlpValue(value) }
}

function otlpValue(value: unknown): AttributeValue {
  if (typeof value === 'string') return { stringValue: value }
  if (typeof value === 'boolean') return { boolValue: value }
  if (typeof value === 'number')
    return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value }
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object'))
    return { arrayValue: { values: value.map(otlpValue) } }
  return { stringValue: JSON.stringify(value) ?? '' }
}
