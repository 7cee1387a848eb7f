import { expect, it } from 'vitest'
import { decodeRecord } from './record.ts'
import { RepeatedKind } from './repeated-kind.ts'

const KIND = '{"kind":"clock_read","source":"wall","value_ms":1794893436326,"api":"Date.now"}'
const lineOf = (seq: string, time: string, monotonic: string, kind = KIND, end = '}'): string =>
  `{"type":"record","seq":${seq},"phase":"user_script","virtual_time_ms":${time},"monotonic_ms":${monotonic},"kind":${kind}${end}`

function remembered(line: string): RepeatedKind {
  const repeated = new RepeatedKind()
  repeated.remember(line, decodeRecord(JSON.parse(line), line))
  return repeated
}

it('reads a line with the same kind as the codec does', () => {
  const repeated = remembered(lineOf('1', '1794893436326', '22'))
  for (const line of [
    lineOf('2', '1794893436326', '22'),
    lineOf('0', '0', '0'),
    lineOf('999999999999999', '123456789012345', '7'),
  ])
    expect(repeated.read(line)).toEqual(decodeRecord(JSON.parse(line), line))
})

it.each([
  ['another value', lineOf('2', '1', '1', KIND.replace('326,', '327,'))],
  ['another kind', lineOf('2', '1', '1', '{"kind":"clock_sleep","duration_ms":1}')],
  ['a member after the kind', lineOf('2', '1', '1', KIND, ',"scrubbed":1}')],
  ['a fraction', lineOf('2', '1.0', '1')],
  ['an exponent', lineOf('2', '1e2', '1')],
  ['a leading zero', lineOf('02', '1', '1')],
  ['a negative number', lineOf('2', '-1', '1')],
  ['too many digits', lineOf('2', '1234567890123456', '1')],
  ['no number', lineOf('2', '', '1')],
  ['another phase', lineOf('2', '1', '1').replace('user_script', 'runtime_finalize')],
  ['white space', lineOf('2', ' 1', '1')],
  ['a carriage return', `${lineOf('2', '1', '1')}\r`],
  ['a text that ends early', lineOf('2', '1', '1').slice(0, -1)],
])('leaves %s to the codec', (_what, line) => {
  expect(remembered(lineOf('1', '1', '1')).read(line)).toBeNull()
})

it.each([
  ['with a member after it', lineOf('1', '1', '1', KIND, ',"scrubbed":1}')],
  ['with a second seq', lineOf('1', '1', '1', KIND, ',"seq":5}')],
])('does not remember a kind %s', (_what, line) => {
  expect(remembered(line).read(line)).toBeNull()
})
