/**
 * Makes, for one kind, the function that writes it as JSON, without its closing brace: the counterpart of
 * kind-decoder.ts, compiled from the same table for the same reason. Where code generation is switched off
 * there is none, and the caller's loop over the table does the same.
 */
import type { Field } from './fields.ts'
import type { Fields } from './upstream-kinds.ts'

export type KindEncoder = (kind: Readonly<Record<string, unknown>>) => string

/** `missing` throws: a member that must be there is not. */
export function createKindEncoder(
  kind: string,
  fields: Fields,
  missing: (name: string) => never,
): KindEncoder | null {
  try {
    return compiled(kind, fields, missing)
  } catch (error) {
    if (error instanceof EvalError) return null
    throw error
  }
}

function compiled(kind: string, fields: Fields, missing: (name: string) => never): KindEncoder {
  const entries = Object.entries<Field<unknown>>(fields)
  const lines = entries.map(([name, { wire, presence }], at) => {
    const key = JSON.stringify(`,"${wire}":`)
    const value = `const value${at} = kind.${name}\n`
    if (presence === 'optional')
      return `${value}if (value${at} !== undefined) out += ${key} + encode${at}(value${at})\n`
    return `${value}if (value${at} === undefined) missing('${name}')\nout += ${key} + encode${at}(value${at})\n`
  })
  const body = `return (kind) => {
    let out = ${JSON.stringify(`{"kind":"${kind}"`)}
    ${lines.join('')}
    return out
  }`
  return new Function('missing', ...entries.map((_, at) => `encode${at}`), body)(
    missing,
    ...entries.map(([, field]) => field.encode),
  )
}
