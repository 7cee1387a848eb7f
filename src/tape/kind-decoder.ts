/**
 * Makes, for each kind, the function that turns its parsed JSON into a kind in memory.
 *
 * The function is compiled from the field table with literal property names, so that every kind has one
 * hidden class and every access one shape: measured, decoding then costs a tenth of `JSON.parse` instead of
 * half of it. Only names of our own table become code. A loop over the table does the same: for the first
 * records of a kind, and where code generation is switched off (`--disallow-code-generation-from-strings`).
 */
import { type Field, FieldError } from './fields.ts'
import type { ExtraFields } from './kinds.ts'
import type { Fields } from './upstream-kinds.ts'

type DecodedKind = { kind: string; extra?: ExtraFields; [name: string]: unknown }

/**
 * `extraOf` is asked only if the JSON has members that the table does not know. Throws a FieldError for a
 * member of a wrong type.
 */
export type KindDecoder = (
  value: Readonly<Record<string, unknown>>,
  extraOf: () => ExtraFields,
) => DecodedKind

export function createKindDecoder(kind: string, fields: Fields): KindDecoder {
  try {
    return compiled(kind, fields)
  } catch (error) {
    if (error instanceof EvalError) return createLoopDecoder(kind, fields)
    throw error
  }
}

function compiled(kind: string, fields: Fields): KindDecoder {
  const entries = Object.entries<Field<unknown>>(fields)
  const always = entries.map(([name, { wire, presence }], at) =>
    presence === 'optional' ? '' : `${name}: decode${at}(value.${wire}),`,
  )
  const sometimes = entries.map(([name, { wire, presence }], at) =>
    presence === 'optional'
      ? `if (value.${wire} !== undefined && value.${wire} !== null) kind.${name} = decode${at}(value.${wire})\n`
      : '',
  )
  const known = entries.map(([, { wire }]) => `(value.${wire} === undefined ? 0 : 1)`)
  const body = `return (value, extraOf) => {
    const kind = { kind: '${kind}', ${always.join(' ')} }
    ${sometimes.join('')}
    let given = 0
    for (const _ in value) given += 1
    if (given > ${[1, ...known].join(' + ')}) kind.extra = extraOf()
    return kind
  }`
  const parameters = entries.map((_, at) => `decode${at}`)
  return new Function(...parameters, body)(...entries.map(([, field]) => field.decode))
}

/** Members are in the order that the compiled function gives them: those that may be missing come last. */
export function createLoopDecoder(kind: string, fields: Fields): KindDecoder {
  const all = Object.entries<Field<unknown>>(fields)
  const isOptional = ([, field]: (typeof all)[number]): boolean => field.presence === 'optional'
  const entries = [...all.filter((entry) => !isOptional(entry)), ...all.filter(isOptional)]
  const wires = new Set(['kind', ...entries.map(([, field]) => field.wire)])
  return (value, extraOf) => {
    const decoded: DecodedKind = { kind }
    for (const [name, field] of entries) {
      const member = value[field.wire]
      if (field.presence !== 'optional' || (member !== undefined && member !== null))
        decoded[name] = field.decode(member)
    }
    if (Object.keys(value).some((key) => !wires.has(key))) decoded.extra = extraOf()
    return decoded
  }
}

/** Which member a decoder stumbled over: asked only once something is wrong. */
export function wrongMember(value: Readonly<Record<string, unknown>>, fields: Fields): string {
  for (const field of Object.values<Field<unknown>>(fields)) {
    const member = value[field.wire]
    if (field.presence === 'optional' && (member === undefined || member === null)) continue
    try {
      field.decode(member)
    } catch (error) {
      if (error instanceof FieldError) return `kind.${field.wire}: ${error.message}`
      throw error
    }
  }
  return 'kind: cannot be read'
}
