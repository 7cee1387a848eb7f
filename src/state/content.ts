/** Content is bytes; text and JSON are read out of it strictly, never by a lossy decoding. */
import { parseJson, textOrNull, utf8 } from '../base/index.ts'
import { RepriseError } from '../errors/index.ts'
import { isScalar, LONE_SURROGATE, type Scalar } from './keys.ts'

/** A Standard Schema (zod, valibot, arktype, …), or a function that gives the value back or throws. */
export type Schema<T> = StandardSchema<T> | ((value: unknown) => T)

export type StandardSchema<T> = {
  readonly '~standard': {
    readonly validate: (value: unknown) => StandardResult<T> | Promise<StandardResult<T>>
    readonly types?: { readonly output: T } | undefined
  }
}

type StandardResult<T> =
  | { readonly value: T; readonly issues?: undefined }
  | {
      readonly issues: readonly { readonly message: string; readonly path?: readonly unknown[] | undefined }[]
    }

/** A number or a boolean is written as its own spelling. */
export function contentBytes(given: Scalar | Uint8Array): Uint8Array {
  if (given instanceof Uint8Array) return given
  if (!isScalar(given)) {
    throw new RepriseError('state-content-invalid', 'agent_state: content must be text or bytes', {
      hint: 'use writeJson for other values',
    })
  }
  const content = String(given)
  const bytes = utf8(content)
  // A lone surrogate has no UTF-8: the encoder would put U+FFFD in its place, and the content would come back
  // changed.
  if (LONE_SURROGATE.test(content)) {
    throw new RepriseError('state-content-invalid', 'agent_state: content holds half of a surrogate pair', {
      hint: 'write such content as bytes',
    })
  }
  return bytes
}

export function contentText(bytes: Uint8Array, key: string): string {
  const text = textOrNull(bytes)
  if (text !== null) return text
  throw new RepriseError('state-not-text', `agent_state.read: failed to read '${key}': not UTF-8`, {
    details: { key },
    hint: 'read it as bytes',
  })
}

export async function jsonContent<T>(value: T, key: string, schema: Schema<T> | undefined): Promise<string> {
  const text = JSON.stringify(schema === undefined ? value : await checked(value, key, schema), null, 2)
  if (text !== undefined) return text
  throw new RepriseError('state-content-invalid', `agent_state: the value for '${key}' has no JSON form`, {
    details: { key },
  })
}

export async function contentJson<T>(
  bytes: Uint8Array,
  key: string,
  schema: Schema<T> | undefined,
): Promise<T | unknown> {
  let value: unknown
  try {
    value = parseJson(contentText(bytes, key))
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    throw new RepriseError('state-not-json', `agent_state.read: '${key}' does not hold JSON`, {
      details: { key },
      cause: error,
      hint: 'read it as text',
    })
  }
  return schema === undefined ? value : checked(value, key, schema)
}

async function checked<T>(value: unknown, key: string, schema: Schema<T>): Promise<T> {
  if (typeof schema === 'function') {
    try {
      return schema(value)
    } catch (error) {
      throw schemaError(key, error instanceof Error ? error.message : String(error), error)
    }
  }
  const result = await schema['~standard'].validate(value)
  if (result.issues === undefined) return result.value
  throw schemaError(key, result.issues.map((issue) => issue.message).join('; '), result.issues)
}

function schemaError(key: string, message: string, cause: unknown): RepriseError {
  return new RepriseError(
    'state-schema',
    `agent_state: the value of '${key}' does not fit its schema: ${message}`,
    { details: { key }, cause },
  )
}
