/** The extended view as it is printed with --json: the same tree, keys in snake_case. Every key is a field name; names from a log are values. */
import type { ExtendedView } from './extended-view.ts'

export function extendedViewJson(view: ExtendedView): { readonly [key: string]: unknown } {
  return Object.fromEntries(Object.entries(view).map(([key, field]) => [snakeCase(key), toSnakeCase(field)]))
}

function snakeCase(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

function toSnakeCase(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toSnakeCase)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [snakeCase(key), toSnakeCase(field)]))
}
