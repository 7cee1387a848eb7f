/**
 * Makes, for one kind, the function that reads it from the bytes of its line: the counterpart of
 * kind-encoder.ts, compiled from the same table. It reads what `encodeRecord` writes: members in the order of
 * the table, without white space. The result equals that of kind-decoder.ts for the parsed line.
 */
import type { Field } from './fields.ts'
import { bytesOf, type LineCursor } from './line-cursor.ts'
import type { Fields } from './upstream-kinds.ts'

/**
 * Begins behind the name of the kind and ends behind its closing brace. Null, a failed line or any error: the
 * line has another form, and the caller parses it.
 */
export type KindReader = (line: LineCursor) => object | null

/** Null where code generation is switched off. */
export function createKindReader(kind: string, fields: Fields): KindReader | null {
  try {
    return compiled(kind, fields)
  } catch (error) {
    if (error instanceof EvalError) return null
    throw error
  }
}

function compiled(kind: string, fields: Fields): KindReader {
  const entries = Object.entries<Field<unknown>>(fields)
  const read = entries.map(([, field], at) => readMember(field, at))
  const always = entries.map(([name, { presence }], at) =>
    presence === 'optional' ? '' : `${name}: value${at},`,
  )
  const sometimes = entries.map(([name, { presence }], at) =>
    presence === 'optional' ? `if (value${at} !== undefined) kind.${name} = value${at}\n` : '',
  )
  const body = `return (line) => {
    ${read.join('')}
    line.close()
    if (line.hasFailed) return null
    const kind = { kind: '${kind}', ${always.join(' ')} }
    ${sometimes.join('')}
    return kind
  }`
  const parameters = entries.flatMap((_, at) => [`key${at}`, `decode${at}`])
  const values = entries.flatMap(([, { wire, decode }]) => [bytesOf(`,"${wire}":`), decode])
  return new Function(...parameters, body)(...values)
}

function readMember(field: Field<unknown>, at: number): string {
  const value = readValue(field, at)
  switch (field.presence) {
    case 'required':
      return `if (!line.skip(key${at})) return null\nconst value${at} = ${value}\n`
    case 'nullable':
      return `if (!line.skip(key${at})) return null\nconst value${at} = line.skipNull() ? null : ${value}\n`
    case 'optional':
      // Null is read as absent.
      return `const value${at} = line.skip(key${at}) && !line.skipNull() ? ${value} : undefined\n`
  }
}

/** An expression. What `decode` gets is what `JSON.parse` gives for the member. */
function readValue({ schema, shape, presence }: Field<unknown>, at: number): string {
  if (shape === 'payload') return 'line.payload()'
  if (shape === 'chunk') return `(line.textChunk() ?? decode${at}(line.json()))`
  const type = presence === 'nullable' ? undefined : schema.type
  if (type === 'integer') return `decode${at}(line.integer())`
  if (type === 'string') return `decode${at}(line.text())`
  return `decode${at}(line.json())`
}
