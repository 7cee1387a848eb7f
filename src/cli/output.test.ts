import { expect, test } from 'vitest'
import { createOutput, paintError } from './output.ts'

function streams(isTTY: boolean) {
  const written: string[] = []
  const stream = Object.assign(Object.create(process.stdout), {
    isTTY,
    write: (text: string) => written.push(text) > 0,
  })
  return { stream, written }
}

test.each([
  [true, {}, '\u001b[32mwhole\u001b[0m\n'],
  [true, { NO_COLOR: '1' }, 'whole\n'],
  [true, { TERM: 'dumb' }, 'whole\n'],
  [false, {}, 'whole\n'],
])('terminal %s with %j', (isTTY, env, expected) => {
  const { stream, written } = streams(isTTY)
  createOutput(stream, stream, { env }).line('whole', 'good')
  expect(written).toEqual([expected])
})

test('text from a file cannot colour anything', () => {
  const { stream, written } = streams(true)
  createOutput(stream, stream).line('\u001b[31mred')
  expect(written[0]).not.toContain('\u001b')
})

test('an error is red at its beginning only', () => {
  expect(paintError('reprise: reprise: x', streams(true).stream, {})).toBe(
    '\u001b[31mreprise:\u001b[0m reprise: x',
  )
})
