import { readFileSync } from 'node:fs'
import { eawVersion } from 'meaw'
import { expect, test } from 'vitest'
import { widthTableText } from '../../../scripts/width-table.ts'

test('the table is what scripts/write-width-table.ts writes from the data of Unicode 14', () => {
  expect(eawVersion).toBe('14.0.0')
  expect(readFileSync(new URL('./width-ranges.ts', import.meta.url), 'utf8')).toBe(widthTableText())
})
