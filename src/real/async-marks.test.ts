import { AsyncResource } from 'node:async_hooks'
import { readFile } from 'node:fs'
import net from 'node:net'
import { promisify } from 'node:util'
import { beforeAll, expect, test } from 'vitest'
import { contextsNeedHooks, isMarked, runMarked, watchMarks } from './async-marks.ts'

const marks: boolean[] = []
const note = (): void => {
  marks.push(isMarked())
}
const immediate = promisify(setImmediate)
/** As the gate does it: what is resolved goes on in a callback of the program. */
const program = new AsyncResource('program')
const inProgram = (resolve: () => void): void => {
  program.runInAsyncScope(setImmediate, undefined, resolve)
}

beforeAll(watchMarks)

test('only Nodes before 24 need marks: newer ones keep a context without hooks', () => {
  expect(contextsNeedHooks).toBe(Number.parseInt(process.versions.node, 10) < 24)
})

/** The recorder uses marks only where it needs them: on other Nodes these tests do not exist. */
function testMarks(name: string, body: () => Promise<void>): void {
  if (contextsNeedHooks) test(name, body)
}

testMarks('ticks, timers and files that marked work starts are marked', async () => {
  marks.length = 0
  const ended = new Promise<void>((resolve) => {
    runMarked(() => {
      note()
      process.nextTick(note)
      queueMicrotask(note)
      setTimeout(() => {
        note()
        readFile(import.meta.filename, () => {
          note()
          setImmediate(() => {
            note()
            inProgram(resolve)
          })
        })
      })
    })
  })
  note()
  await ended
  expect(marks).toEqual([true, false, true, true, true, true, true])
})

testMarks('continuations after a marked callback are marked, others are not', async () => {
  marks.length = 0
  const settled = new Promise<void>((resolve) => {
    const await2 = async (): Promise<void> => {
      await null
      note()
      await null
      note()
      resolve()
    }
    runMarked(() => setImmediate(() => void await2()))
  })
  await immediate()
  await settled
  await immediate()
  note()
  expect(marks).toEqual([true, true, false])
})

testMarks('a callback inside of the program marks nothing after it', async () => {
  marks.length = 0
  await null
  runMarked(() => {
    const own = new AsyncResource('own')
    own.runInAsyncScope(note)
    program.runInAsyncScope(note)
    // Closes a handle at once, inside of this body.
    new net.Socket().destroy()
    note()
  })
  note()
  await null
  note()
  expect(marks).toEqual([true, false, true, false, false])
})
