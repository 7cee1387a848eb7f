/** `reprise what-if`: another outcome, what the agent does differently, and a tape that replays alone. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { fits } from '../../src/testbench/edits/edit.ts'
import { parsePath, withValueAt } from '../../src/testbench/edits/json-path.ts'
import { reprise } from '../support/cli.ts'
import { checkedPathOf, docsTable, schemaNames } from '../support/edit-docs.ts'
import { linesOf, RECORDED, recordedForEdits, seqOf, whatIf } from '../support/what-if.ts'

test('an edited response, in words, and a tape that replays without its parent', async () => {
  const program = await recordedForEdits()
  const seq = seqOf(program, ({ kind }) => kind.kind === 'llm_call')
  const made = await whatIf(program, [`${seq}={"status":500}`])
  expect(linesOf(made.stdout)).toEqual({ ...RECORDED, model: '500 recorded hello' })
  expect(made.stderr).toContain('reprise: the agent did 1 thing(s) differently:\nreprise:   it printed')
  const header = JSON.parse(readFileSync(made.out, 'utf8').split('\n')[0] ?? '')
  expect(header).toMatchObject({ parent: { name: 'run.tape' }, edits: [{ seq, edit: { status: 500 } }] })
  const replayed = await reprise(['replay', made.out], { cwd: program.folder })
  expect(replayed).toMatchObject({ code: 0, stdout: made.stdout, stderr: '' })
  const wrong = await whatIf(program, [`${seq}={"errno":"ENOENT"}`])
  expect(wrong).toMatchObject({ code: 64, stdout: '' })
  expect(wrong.stderr).toContain('it fits file_read, file_write, file_delete, fs_call')
  const none = await whatIf(program, ['999999999999={"status":500}'])
  expect(none).toMatchObject({ code: 64 })
}, 60_000)

test('the page and the schema of edits have the members of the code', () => {
  expect(docsTable()).toEqual(fits)
  expect(schemaNames()).toEqual(Object.keys(fits))
})

test.each([
  ['{"a": [1, {"b":2.0}] }', '$.a[1].b', '7', '{"a": [1, {"b":7}] }'],
  ['{"a":1,"a":2}', '$.a', '3', '{"a":1,"a":3}'],
  ['{"x y":"}"}', '$["x y"]', '1', '{"x y":1}'],
  ['{}', '$.new', '1', '{"new":1}'],
  ['[1]', '$', '2', '2'],
  ['{"__proto__":{"a":1}}', '$.__proto__.a', '2', '{"__proto__":{"a":2}}'],
])('in %s the path %s is replaced, and nothing else', (text, path, value, expected) => {
  expect(withValueAt(text, checkedPathOf(path), value)).toBe(expected)
})

test.each(['a', '$.', '$[', '$[-1]', '$..a', '$.a[*]', '$["a]'])('%s is no path', (text) => {
  expect(parsePath(text)).toBeNull()
})
