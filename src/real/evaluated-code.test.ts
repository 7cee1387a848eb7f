import { setImmediate as turn } from 'node:timers/promises'
import { afterAll, expect, test } from 'vitest'
import { createEvaluatedCode } from './evaluated-code.ts'

const code = createEvaluatedCode()
const unhandled: unknown[] = []
const listen = (reason: unknown): void => void unhandled.push(reason)
process.on('unhandledRejection', listen)
afterAll(() => void process.off('unhandledRejection', listen))

/** As a debugger does: in the middle of the code that runs. */
function evaluated<T>(body: () => T): T {
  code.enter()
  try {
    return body()
  } finally {
    code.leave()
  }
}

test('code counts as evaluated until it ends, and where it continues later', async () => {
  const seen: [string, boolean][] = []
  const note = (name: string): void => void seen.push([name, code.isRunning()])
  evaluated(() => {
    note('now')
    queueMicrotask(() => note('microtask'))
    process.nextTick(() => note('tick'))
    void (async () => {
      await null
      note('after await')
    })()
  })
  note('program')
  await turn()
  note('program, later')
  expect(Object.fromEntries(seen)).toEqual({
    now: true,
    program: false,
    microtask: true,
    tick: true,
    'after await': true,
    'program, later': false,
  })
})

test('a rejection that evaluated code does not handle is not reported', async () => {
  evaluated(() => {
    void [Promise.reject(new Error('in a list'))]
    void (async () => {
      await null
      void Promise.reject(new Error('later'))
      throw new Error('thrown')
    })()
  })
  await turn()
  await turn()
  expect(unhandled).toEqual([])
})

test('a rejection of the program is reported as ever', async () => {
  evaluated(() => undefined)
  const error = new Error('of the program')
  void Promise.reject(error)
  await turn()
  await turn()
  expect(unhandled).toEqual([error])
})
