/**
 * Converts a real error into plain data, and creates an equal one from it: class name, name, message, code,
 * cause, further properties. A class that only a library has (`SocketError`) is created again with its name;
 * the base class that a program checks with `instanceof` is one of the language's own.
 */
import { getSystemErrorName } from 'node:util'
import type { Json } from '../base/index.ts'
import { withoutOwnFrames } from './own-frames.ts'
import type { ErrorFacts } from './session.ts'

const MAX_DEPTH = 5

export function errorFacts(error: unknown, depth = 0): ErrorFacts {
  if (!(error instanceof Error)) return { constructorName: 'Error', name: 'Error', message: String(error) }
  const { code, cause, errors } = error as { code?: unknown; cause?: unknown; errors?: unknown }
  const properties = plainProperties(error)
  return {
    constructorName: error.constructor.name,
    name: error.name,
    message: error.message,
    ...(typeof code === 'string' ? { code } : {}),
    ...(Object.keys(properties).length > 0 ? { properties } : {}),
    ...(cause instanceof Error && depth < MAX_DEPTH ? { cause: errorFacts(cause, depth + 1) } : {}),
    ...(Array.isArray(errors) && depth < MAX_DEPTH
      ? { errors: errors.map((each) => errorFacts(each, depth + 1)) }
      : {}),
  }
}

export function errorFromFacts(facts: ErrorFacts): Error {
  const options = facts.cause === undefined ? undefined : { cause: errorFromFacts(facts.cause) }
  const error = construct(facts, options)
  if (error.name !== facts.name)
    Object.defineProperty(error, 'name', {
      value: facts.name,
      configurable: true,
      writable: true,
      enumerable: false,
    })
  if (facts.code !== undefined && !('code' in error)) Object.assign(error, { code: facts.code })
  for (const [key, value] of Object.entries(facts.properties ?? {}))
    if (key !== 'code') Object.assign(error, { [key]: value })
  // A program that logs the stack would write other lines with another build of the recorder.
  withoutOwnFrames(error)
  return error
}

/**
 * Reads error facts from JSON of unknown content: a missing field, or one of a wrong type, becomes a plain
 * error.
 */
export function errorFactsOf(value: Json | undefined, depth = 0): ErrorFacts {
  const fields =
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as { readonly [key: string]: Json })
      : {}
  const text = (name: string, otherwise: string): string =>
    typeof fields[name] === 'string' ? fields[name] : otherwise
  const { code, cause, errors, properties } = fields
  return {
    constructorName: text('constructorName', 'Error'),
    name: text('name', 'Error'),
    message: text('message', ''),
    ...(typeof code === 'string' ? { code } : {}),
    ...(typeof properties === 'object' && properties !== null ? { properties: plainValues(properties) } : {}),
    ...(cause !== undefined && cause !== null && depth < MAX_DEPTH
      ? { cause: errorFactsOf(cause, depth + 1) }
      : {}),
    ...(Array.isArray(errors) && depth < MAX_DEPTH
      ? { errors: errors.map((each: Json) => errorFactsOf(each, depth + 1)) }
      : {}),
  }
}

function plainValues(values: object): { [key: string]: string | number | boolean | null } {
  const plain: { [key: string]: string | number | boolean | null } = {}
  for (const [key, value] of Object.entries(values)) {
    if (
      value === null ||
      typeof value === 'string' ||
      typeof value === 'number' ||
      typeof value === 'boolean'
    )
      plain[key] = value
  }
  return plain
}

const constructors: Readonly<Record<string, (message: string, options?: ErrorOptions) => Error>> = {
  Error: (message, options) => new Error(message, options),
  TypeError: (message, options) => new TypeError(message, options),
  RangeError: (message, options) => new RangeError(message, options),
  SyntaxError: (message, options) => new SyntaxError(message, options),
}

function construct(facts: ErrorFacts, options: ErrorOptions | undefined): Error {
  if (facts.constructorName === 'DOMException') return new DOMException(facts.message, facts.name)
  if (facts.constructorName === 'AggregateError')
    return new AggregateError((facts.errors ?? []).map(errorFromFacts), facts.message, options)
  const known = constructors[facts.constructorName]
  if (known !== undefined) return known(facts.message, options)
  const named = { [facts.constructorName]: class extends Error {} }[facts.constructorName] ?? Error
  return new named(facts.message, options)
}

function plainProperties(error: Error): { [key: string]: string | number | boolean | null } {
  const { code: _code, cause: _cause, errors: _errors, ...rest } = plainValues(error)
  return rest
}

/** The error of a write to a native handle, as Node's sockets report it. */
export function writeError(status: number): Error {
  const code = getSystemErrorName(status)
  return Object.assign(new Error(`write ${code}`), { errno: status, code, syscall: 'write' })
}
