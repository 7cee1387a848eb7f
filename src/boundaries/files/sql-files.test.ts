import { expect, test } from 'vitest'
import { opensFile } from './sql-files.ts'

test.each([
  ["attach 'a.db' as a", true],
  ['ATTACH DATABASE ? AS a', true],
  ["select 1; attach 'a.db' as a", true],
  ["/* x */ attach 'a.db' as a", true],
  ["-- x\nattach 'a.db' as a", true],
  ["vacuum into 'copy.db'", true],
  ['VACUUM main INTO ?', true],
  ['vacuum', false],
  ["insert into notes values ('please attach; attach the file')", false],
  ['select "attach" from notes', false],
  ['-- attach\nselect 1', false],
  [undefined, false],
])('%s opens a file: %s', (sql, opens) => {
  expect(opensFile(sql)).toBe(opens)
})
