import { expect, test } from 'vitest'
import { type Handler, receiverOf } from './handlers.ts'

type Controls = { abort(reason: unknown): void; resume(): void }

/** What a handler of each interface gets to abort and to resume its request. */
const dialects: readonly [string, (given: (controls: Controls) => void) => Handler][] = [
  [
    'old',
    (given) => {
      let abort: (reason: unknown) => void = () => undefined
      return {
        onConnect: (connected) => {
          abort = connected
        },
        onHeaders: (_status, _headers, resume) => {
          given({ abort, resume })
          return true
        },
      }
    },
  ],
  ['new', (given) => ({ onRequestStart: (controller) => given(controller) })],
]

test.each(dialects)(
  'a handler with the %s interface controls its exchange until it is over',
  (_name, make) => {
    const controls: Controls[] = []
    const calls: unknown[] = []
    const receiver = receiverOf(make((each) => controls.push(each)))
    receiver.started(
      (reason) => calls.push(reason),
      () => calls.push('resume'),
    )
    receiver.head(200, [['a', 'b']], 'OK')
    controls[0]?.resume()
    receiver.over()
    controls[0]?.resume()
    controls[0]?.abort('late')
    expect(calls).toEqual(['resume'])
  },
)

test.each(dialects)('a handler with the %s interface aborts its exchange', (_name, make) => {
  const controls: Controls[] = []
  const calls: unknown[] = []
  const receiver = receiverOf(make((each) => controls.push(each)))
  receiver.started(
    (reason) => calls.push(reason),
    () => undefined,
  )
  receiver.head(200, [], 'OK')
  controls[0]?.abort('why')
  expect(calls).toEqual(['why'])
})

test('the headers of a response are the bytes of their names and values, in order', () => {
  const given: Buffer[][] = []
  const receiver = receiverOf({ onHeaders: (_status, headers) => given.push(headers) > 0 })
  receiver.head(
    200,
    [
      ['Set-Cookie', 'a=1'],
      ['X-Empty', ''],
      ['Set-Cookie', 'caf\u00e9'],
    ],
    'OK',
  )
  receiver.head(204, [], '')
  expect(given.map((list) => list.map((bytes) => bytes.toString('latin1')))).toEqual([
    ['Set-Cookie', 'a=1', 'X-Empty', '', 'Set-Cookie', 'caf\u00e9'],
    [],
  ])
})
