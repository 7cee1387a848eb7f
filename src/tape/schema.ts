/**
 * The JSON Schema of a tape's lines, made from the same table as the codec. `schema/tape-v1.schema.json` is
 * this, checked by a test.
 *
 * A schema describes what a writer of this version writes; a reader takes more (unknown kinds and fields, a
 * missing phase).
 */
import type { Json } from '../base/index.ts'
import type { Field, JsonSchema } from './fields.ts'
import { kinds } from './kinds.ts'
import { phases } from './record.ts'

const text: JsonSchema = { type: 'string' }
const texts: JsonSchema = { type: 'array', items: text }
const integer: JsonSchema = { type: 'integer' }
const terminal: JsonSchema = {
  type: 'object',
  required: ['columns', 'rows', 'colors'],
  properties: { columns: integer, rows: integer, colors: integer },
}
const orNull = (schema: JsonSchema): JsonSchema => ({ anyOf: [schema, { type: 'null' }] })

export function tapeSchema(): JsonSchema {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'One line of a Reprise tape, format version 1',
    oneOf: [{ $ref: '#/$defs/header' }, { $ref: '#/$defs/record' }],
    $defs: { header: headerSchema(), record: recordSchema(), ...kindSchemas() },
  }
}

function headerSchema(): JsonSchema {
  return {
    type: 'object',
    required: ['type', 'version', 'harn_version', 'started_at_unix_ms', 'script_path', 'argv'],
    properties: {
      type: { const: 'header' },
      version: { type: 'integer', minimum: 0, maximum: 1 },
      harn_version: text,
      started_at_unix_ms: orNull(integer),
      script_path: orNull(text),
      argv: texts,
      producer: { type: 'object', required: ['name', 'version'], properties: { name: text, version: text } },
      command: texts,
      program: {
        type: 'object',
        required: ['exec_args', 'script', 'args'],
        properties: { exec_args: texts, script: text, args: texts },
      },
      channel: text,
      node: text,
      boundaries: {
        type: 'object',
        additionalProperties: {
          type: 'object',
          required: ['mode'],
          properties: { mode: { enum: ['record', 'replay', 'passthrough', 'deny'] }, source: orNull(text) },
        },
      },
      roots: texts,
      home: text,
      temp: text,
      addons: texts,
      time_zone: text,
      locale: text,
      terminals: {
        type: 'object',
        required: ['stdin', 'stdout', 'stderr'],
        properties: { stdin: { type: 'boolean' }, stdout: orNull(terminal), stderr: orNull(terminal) },
      },
      modules: { type: 'object', additionalProperties: text },
      features: { type: 'array', items: integer },
      escapes: { const: 1 },
    },
  }
}

function recordSchema(): JsonSchema {
  return {
    type: 'object',
    required: ['type', 'seq', 'phase', 'virtual_time_ms', 'monotonic_ms', 'kind'],
    properties: {
      type: { const: 'record' },
      seq: { type: 'integer', minimum: 0 },
      phase: { enum: [...phases] },
      virtual_time_ms: integer,
      monotonic_ms: integer,
      kind: { oneOf: Object.keys(kinds).map((kind) => ({ $ref: `#/$defs/${kind}` })) },
      scrubbed: { type: 'integer', minimum: 1 },
      escapes: { const: 1 },
    },
  }
}

function kindSchemas(): { [kind: string]: JsonSchema } {
  const schemas: { [kind: string]: JsonSchema } = {}
  for (const [kind, fields] of Object.entries(kinds)) {
    const all = Object.values<Field<unknown>>(fields)
    const properties: { [wire: string]: Json } = { kind: { const: kind } }
    for (const field of all) properties[field.wire] = field.schema
    const required = [
      'kind',
      ...all.filter((field) => field.presence !== 'optional').map((field) => field.wire),
    ]
    schemas[kind] = { type: 'object', required, properties }
  }
  return schemas
}
