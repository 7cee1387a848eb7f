import { describe, expect, test } from 'vitest'
import { contentHash } from './blake3.ts'
import { utf8 } from './bytes.ts'
import { canonicalJson, canonicalJsonText, compareUtf8, printNumber } from './canonical-json.ts'
import { JsonScanError } from './json-scan.ts'

describe('canonical JSON', () => {
  test.each([
    [
      'sorts keys at every level',
      '{"b":{"d":1,"c":2},"a":[{"z":1,"y":2}]}',
      '{"a":[{"y":2,"z":1}],"b":{"c":2,"d":1}}',
    ],
    ['drops white space', ' { "a" : [ 1 , 2 ] } ', '{"a":[1,2]}'],
    [
      'keeps 64-bit integers',
      '{"a":18446744073709551615,"b":-9223372036854775808}',
      '{"a":18446744073709551615,"b":-9223372036854775808}',
    ],
    ['keeps 1.0 and -0.0', '[1.0,-0.0,-0,0]', '[1.0,-0.0,-0.0,0]'],
    [
      'prints floats as serde does',
      '[1e2,1.50,1e16,1e-7,123456789012345680000]',
      '[100.0,1.5,1e16,1e-7,1.2345678901234568e20]',
    ],
    ['keeps the last of repeated keys', '{"a":1.5,"a":2.5}', '{"a":2.5}'],
    ['normalises escapes', '["\\u0041\\/",1.5]', '["A/",1.5]'],
  ])('%s', (_promise, text, canonical) => {
    expect(canonicalJsonText(text)).toBe(canonical)
  })

  test('of a value equals that of its text', () => {
    const value = { b: [1, 2.5, null, true, 'ü'], a: { nested: { 2: 'x', 10: 'y' } } }
    expect(canonicalJson(value)).toBe(canonicalJsonText(JSON.stringify(value)))
  })

  test('sorts by UTF-8 bytes, not by UTF-16 units', () => {
    expect(['\u{1f600}', '\uff5e', 'a'].sort(compareUtf8)).toEqual(['a', '\uff5e', '\u{1f600}'])
  })

  test('gives the request digest of the golden tape', () => {
    const request =
      '{"messages":[{"content":"replay test","role":"user"}],"model":"mock","system":null,"thinking":{"mode":"disabled"},"tool_choice":null,"tools":null}'
    expect(contentHash(utf8(canonicalJsonText(request)))).toBe(
      '1607d6150c963e65098bea59ce798c9636678073c0bdf512742e8223c11c07af',
    )
  })

  test('refuses nesting beyond its limit instead of overflowing the stack', () => {
    expect(() => canonicalJsonText(`${'['.repeat(200_000)}1.0${']'.repeat(200_000)}`)).toThrow(JsonScanError)
    expect(() => canonicalJsonText(`${'['.repeat(5000)}1${']'.repeat(5000)}`)).toThrow(JsonScanError)
  })

  test.each([
    ['0.1', '0.1'],
    ['0.00001', '0.00001'],
    ['0.000001', '1e-6'],
    ['1234567890123456.0', '1234567890123456.0'],
    ['12345678901234567.0', '1.2345678901234568e16'],
    ['1e300', '1e300'],
    ['5e-324', '5e-324'],
    ['1e999', '1e999'],
  ])('prints %s as %s', (spelling, printed) => {
    expect(printNumber(spelling)).toBe(printed)
  })
})
