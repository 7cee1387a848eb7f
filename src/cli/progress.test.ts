import { expect, test } from 'vitest'
import { createProgress } from './progress.ts'

test('nothing for a second, then a share ten times a second, erased before other lines', () => {
  let [now, written] = [0, '']
  const write = (text: string): void => {
    written += text
  }
  const progress = createProgress({ write, nowMs: () => now })
  const at = (ms: number, done: number): string => {
    now = ms
    written = ''
    progress.report('run.tape', done, 200)
    return written
  }
  expect([at(0, 0), at(999, 50)]).toEqual(['', ''])
  expect(at(1000, 100)).toBe('\r\u001b[2Kreprise: reading run.tape 50 %')
  expect(at(1050, 110)).toBe('')
  expect(at(1100, 199)).toBe('\r\u001b[2Kreprise: reading run.tape 99 %')
  written = ''
  progress.clear()
  progress.clear()
  expect(written).toBe('\r\u001b[2K')
})

test('a second file has a second of its own; a hostile name is printable', () => {
  let [now, written] = [0, '']
  const write = (text: string): void => {
    written += text
  }
  const progress = createProgress({ write, nowMs: () => now })
  progress.report('a', 0, 1)
  now = 5000
  progress.report('\u001b]0;x', 0, 1)
  expect(written).toBe('')
  now = 6000
  progress.report('\u001b]0;x', 1, 1)
  expect(written).not.toContain('\u001b]')
})
