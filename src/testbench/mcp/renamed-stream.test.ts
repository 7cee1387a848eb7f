import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { CallIds } from './call-ids.ts'
import { renamedEvents, renamedLines } from './renamed-stream.ts'

const renamed = (): CallIds => {
  const ids = new CallIds()
  ids.match([{ id: 1, token: 't' }], [{ id: 'mine', token: 9 }])
  return ids
}
const answer = (id: unknown): string =>
  `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"n":1.0,"text":"€\\n"}}`
const progress = (token: unknown): string =>
  `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":${JSON.stringify(token)},"progress":1}}`

const LINES = `${answer(1)}\n${progress('t')}\r\nnot a message\n${answer(2)}\n[${answer(1)},${answer(2)}]\nhalf`
const LINES_RENAMED = `${answer('mine')}\n${progress(9)}\r\nnot a message\n${answer(2)}\n[${answer('mine')},${answer(2)}]\nhalf`
const EVENTS = `: hello\n\nevent: message\nid: 7\ndata: ${answer(1)}\n\ndata: {"a":1}\r\n\r\nevent: endpoint\ndata: /x\n\ndata: ${progress('t')}\n\nda`
const EVENTS_RENAMED = `: hello\n\nevent: message\nid: 7\ndata: ${answer('mine')}\n\ndata: {"a":1}\r\n\r\nevent: endpoint\ndata: /x\n\ndata: ${progress(9)}\n\nda`

/** The bytes cut at these places, each piece pushed on its own. */
const pieces = (text: string, cuts: readonly number[]): Uint8Array[] => cut(Buffer.from(text), cuts)
const cut = (bytes: Uint8Array, cuts: readonly number[]): Uint8Array[] => {
  const places = [0, ...cuts.map((place) => place % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]
  return places.slice(1).map((end, at) => bytes.subarray(places[at], end))
}

describe.each([
  ['lines', renamedLines, LINES, LINES_RENAMED],
  ['events', renamedEvents, EVENTS, EVENTS_RENAMED],
] as const)('%s', (_name, make, text, expected) => {
  test('under other names, wherever the bytes are cut', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(), { maxLength: 6 }), (cuts) => {
        const stream = make()
        const ids = renamed()
        const out = pieces(text, cuts).map((piece) => stream.push(piece, ids))
        expect(Buffer.concat([...out, stream.rest()]).toString()).toBe(expected)
      }),
    )
  })

  test('under the same names every piece goes on as it came', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(), { maxLength: 6 }), (cuts) => {
        const stream = make()
        for (const piece of pieces(text, cuts)) expect(stream.push(piece, new CallIds())).toBe(piece)
        expect(stream.rest()).toHaveLength(0)
      }),
    )
  })

  test('names that begin to differ in the middle of a part leave no byte out and none twice', () => {
    fc.assert(
      fc.property(fc.nat(), fc.array(fc.nat(), { maxLength: 4 }), (at, cuts) => {
        const [before = new Uint8Array(), after = new Uint8Array()] = pieces(text, [at])
        const stream = make()
        const ids = renamed()
        const first = stream.push(before, null)
        const rest = cut(after, cuts).map((piece) => stream.push(piece, ids))
        const given = Buffer.concat([first, ...rest, stream.rest()]).toString()
        expect(given.replaceAll('"mine"', '1').replaceAll(':9,', ':"t",')).toBe(text)
      }),
    )
  })
})

test('it is known where a part has ended', () => {
  const stream = renamedLines()
  expect(stream.isBetween).toBe(true)
  stream.push(Buffer.from('{"a"'), null)
  expect(stream.isBetween).toBe(false)
  stream.push(Buffer.from(':1}\n'), null)
  expect(stream.isBetween).toBe(true)
})

test('what is for nobody is left out', () => {
  const ids = renamed()
  ids.drop({ id: 5, token: 'gone' })
  const stream = renamedLines()
  const out = stream.push(Buffer.from(`${answer(5)}\n${progress('gone')}\n${answer(1)}\n`), ids)
  expect(Buffer.from(out).toString()).toBe(`${answer('mine')}\n`)
})
