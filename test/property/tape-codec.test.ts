import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeRecord, encodeRecord } from '../../src/tape/record.ts'
import { tapeSchema } from '../../src/tape/schema.ts'
import { anyRecord } from '../support/any-record.ts'

test('decoding what was encoded gives the record back', () => {
  fc.assert(
    fc.property(anyRecord, (record) => {
      const line = encodeRecord(record)
      expect(line).not.toContain('\n')
      expect(decodeRecord(JSON.parse(line), line)).toEqual(record)
    }),
    { numRuns: 2000 },
  )
})

test('every encoded record fits the JSON Schema', () => {
  const validate = new Ajv2020({ strict: false }).compile(tapeSchema())
  fc.assert(
    fc.property(anyRecord, (record) => {
      const fits = validate(JSON.parse(encodeRecord(record)))
      expect(validate.errors ?? []).toEqual([])
      expect(fits).toBe(true)
    }),
    { numRuns: 500 },
  )
})

test('the schema refuses a record without a field that is needed', () => {
  const validate = new Ajv2020({ strict: false }).compile(tapeSchema())
  expect(
    validate({
      type: 'record',
      seq: 0,
      phase: 'user_script',
      virtual_time_ms: 0,
      monotonic_ms: 0,
      kind: { kind: 'clock_sleep' },
    }),
  ).toBe(false)
})

test('the schema in schema/ is the one that the code gives', () => {
  const file = readFileSync(new URL('../../schema/tape-v1.schema.json', import.meta.url), 'utf8')
  expect(JSON.parse(file)).toEqual(tapeSchema())
})
