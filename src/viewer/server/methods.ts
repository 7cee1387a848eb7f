/**
 * Calls a method of the source with arguments from a URL. Arguments of another shape are refused before
 * anything is read.
 */
import type { JsonMethod, ViewerSource } from '../protocol/source.ts'
import { ViewerProblem } from '../protocol/transport.ts'

type Shape = 'text' | 'number' | 'object'

const SHAPES: Readonly<Record<JsonMethod, readonly Shape[]>> = {
  document: [],
  overview: ['text'],
  rows: ['text', 'object'],
  position: ['text', 'object'],
  buckets: ['text', 'object'],
  spans: ['text', 'object'],
  details: ['text', 'number'],
  search: ['text', 'object'],
  nextFinding: ['text', 'number', 'number'],
  rowOfSeq: ['text', 'number'],
  comparison: [],
  aligned: ['object'],
  comparisonFinding: ['number'],
  cassette: ['text'],
  cassetteChunks: ['text', 'number'],
  cassetteFrames: ['text', 'number', 'number'],
  cassetteSearch: ['text', 'text'],
  audit: ['text'],
  auditEntries: ['text', 'object'],
  auditAt: ['text', 'number'],
  state: ['text'],
  stateSession: ['text', 'text'],
  stateHistory: ['text', 'text', 'text'],
}

const BYTE_SHAPES = {
  payload: ['text', 'text', 'number', 'number'],
  cassetteOutput: ['text', 'number', 'number'],
} as const

export type Answer =
  | { readonly type: 'json'; readonly text: string }
  | { readonly type: 'bytes'; readonly bytes: Uint8Array }

/** Null for a name that is no method. */
export async function callMethod(
  source: ViewerSource,
  name: string,
  parameters: string | null,
): Promise<Answer | null> {
  if (name === 'payload' || name === 'cassetteOutput') {
    const args = argumentsOf(parameters, BYTE_SHAPES[name])
    const bytes: Uint8Array = await Reflect.apply(source[name], source, args)
    return { type: 'bytes', bytes }
  }
  if (!isJsonMethod(name)) return null
  const args = argumentsOf(parameters, SHAPES[name])
  const value: unknown = await Reflect.apply(source[name], source, args)
  return { type: 'json', text: JSON.stringify(value) }
}

function isJsonMethod(name: string): name is JsonMethod {
  return Object.hasOwn(SHAPES, name)
}

function argumentsOf(parameters: string | null, shapes: readonly Shape[]): unknown[] {
  const args = parsed(parameters)
  if (
    Array.isArray(args) &&
    args.length === shapes.length &&
    shapes.every((shape, at) => fits(args[at], shape))
  )
    return args
  throw new ViewerProblem({
    code: 'bad-request',
    message: `expected arguments: ${shapes.join(', ') || 'none'}`,
    hint: null,
  })
}

function parsed(parameters: string | null): unknown {
  try {
    return JSON.parse(parameters ?? '[]')
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}

function fits(value: unknown, shape: Shape): boolean {
  switch (shape) {
    case 'text':
      return typeof value === 'string'
    case 'number':
      return typeof value === 'number' && Number.isFinite(value)
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value) && everyMemberFits(value)
  }
}

const NUMBERS = new Set([
  'from',
  'to',
  'count',
  'limit',
  'row',
  'fromMs',
  'toMs',
  'fromRow',
  'toRow',
  'effectRow',
])
const LISTS = new Set(['kinds', 'lanes'])

/** Members of requests and filters have one shape each, wherever they are. */
function everyMemberFits(value: object): boolean {
  return Object.entries(value).every(([name, member]: [string, unknown]) => {
    if (NUMBERS.has(name)) return typeof member === 'number' && Number.isFinite(member)
    if (LISTS.has(name)) return Array.isArray(member) && member.every((item) => typeof item === 'string')
    if (name === 'filter') return fits(member, 'object')
    if (name === 'notable') return typeof member === 'boolean'
    return typeof member === 'string'
  })
}
