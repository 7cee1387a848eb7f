import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { SentBytes } from './sent-bytes.ts'

const bytes = (text: string): Uint8Array => Buffer.from(text)

describe('what is sent', () => {
  it('is the same however either side is cut', () => {
    const sent = new SentBytes()
    expect(sent.recorded(bytes('one\ntw'))).toBe(null)
    expect(sent.isBehind()).toBe(true)
    expect(sent.live(bytes('on'))).toBe(null)
    expect(sent.live(bytes('e\ntwo\nthree'))).toBe(null)
    expect(sent.isBehind()).toBe(false)
    expect(sent.recorded(bytes('o\nthree'))).toBe(null)
    expect(sent.leftover()).toBe(null)
  })

  it('differs from a line on, told once', () => {
    const sent = new SentBytes()
    sent.live(bytes('one\ntwo\nthree\n'))
    expect(sent.recorded(bytes('one\ntwin\nthree\n'))).toEqual({
      where: 'line 2',
      expected: '"twin"',
      actual: '"two"',
    })
    expect(sent.live(bytes('more'))).toBe(null)
    expect(sent.isBehind()).toBe(false)
    expect(sent.leftover()).toBe(null)
  })

  it.each([
    ['one\n', 'one\ntwo\n', { where: 'line 2', expected: 'the end', actual: '"two"' }],
    ['one\ntwo\n', 'one\n', { where: 'line 2', expected: '"two"', actual: 'the end' }],
    ['on', 'one', { where: 'line 1', expected: '"on"', actual: '"one"' }],
  ])('has %j recorded and %j now', (recorded, live, difference) => {
    const sent = new SentBytes()
    sent.recorded(bytes(recorded))
    sent.live(bytes(live))
    expect(sent.leftover()).toEqual(difference)
  })

  it('is shown in the same way however both sides are cut', () => {
    const piece = fc.constantFrom('a', 'ü', '\n', 'some words ', 'x'.repeat(90), 'y'.repeat(700))
    const cuts = fc.array(fc.integer({ min: 1, max: 900 }), { minLength: 1, maxLength: 20 })
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), piece, piece, cuts, cuts, (same, one, other, a, b) => {
        const alike = bytes(same.join(''))
        const whole = new SentBytes()
        whole.recorded(Buffer.concat([alike, bytes(one)]))
        const difference = whole.live(Buffer.concat([alike, bytes(other)])) ?? whole.leftover()
        const cut = new SentBytes()
        const differences = [
          ...[...pieces(alike, a), bytes(one)].map((part) => cut.recorded(part)),
          ...[...pieces(alike, b), bytes(other)].map((part) => cut.live(part)),
        ]
        expect(differences.find((found) => found !== null) ?? cut.leftover()).toEqual(difference)
      }),
    )
  })

  it('may be binary', () => {
    const sent = new SentBytes()
    sent.recorded(new Uint8Array([1, 255, 3]))
    expect(sent.live(new Uint8Array([1, 255, 4]))).toEqual({
      where: 'line 1',
      expected: '0x01ff03',
      actual: '0x01ff04',
    })
  })

  it('is shown around the first other byte, however long the equal part is', () => {
    const sent = new SentBytes()
    const same = Array.from({ length: 50 }, () => 255)
    sent.recorded(new Uint8Array([...same, 1, ...same]))
    const difference = sent.live(new Uint8Array([...same, 2, ...same]))
    expect(difference?.expected).toBe(`0x${'ff'.repeat(8)}01${'ff'.repeat(23)}`)
    expect(difference?.actual).toBe(`0x${'ff'.repeat(8)}02${'ff'.repeat(23)}`)
  })
})

function pieces(whole: Uint8Array, lengths: readonly number[]): readonly Uint8Array[] {
  const parts: Uint8Array[] = []
  for (let at = 0, n = 0; at < whole.length; n += 1) {
    const length = lengths[n % lengths.length] ?? 1
    parts.push(whole.subarray(at, at + length))
    at += length
  }
  return parts
}
