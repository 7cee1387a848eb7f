import { expect, test } from 'vitest'
import type { HeaderList, HttpHead } from '../session.ts'
import { type Handler, type RawHeaders, receiverOf } from './handlers.ts'

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
    receiver.head(head(200, [['a', 'b']]), null)
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
  receiver.head(head(200, []), null)
  controls[0]?.abort('why')
  expect(calls).toEqual(['why'])
})

test('the headers of a response are the bytes of their names and values, in order', () => {
  const given: RawHeaders[] = []
  const receiver = receiverOf({ onHeaders: (_status, headers) => given.push(headers) > 0 })
  const headers = [
    ['Set-Cookie', 'a=1'],
    ['X-Empty', ''],
    ['Set-Cookie', 'caf\u00e9'],
  ] as const
  receiver.head(head(200, headers), null)
  receiver.head(head(204, []), null)
  expect(given.map((list) => list.map((bytes) => bytes.toString('latin1')))).toEqual([
    ['Set-Cookie', 'a=1', 'X-Empty', '', 'Set-Cookie', 'caf\u00e9'],
    [],
  ])
})

test.each(dialects)('a handler with the %s interface gets headers as the parser gave them', (_name, make) => {
  const raw = [Buffer.from('A'), Buffer.from('b')]
  const given: unknown[] = []
  const handler = make((each) => given.push(each))
  const receiver = receiverOf({
    ...handler,
    onHeaders: (_status, headers) => given.push(headers) > 0,
    onResponseStart: (controller) => void given.push(controller.rawHeaders),
  })
  receiver.started(
    () => undefined,
    () => undefined,
  )
  receiver.head(head(200, [['A', 'b']]), raw)
  expect(given.at(-1)).toBe(raw)
})

function head(status: number, headers: HeaderList): HttpHead {
  return { type: 'head', status, statusText: 'OK', headers }
}
