/**
 * The layer in a library: `testbench` and `record` keep the disk as it is, and the tape has what was changed.
 */
import fs from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { treesOfTape } from '../../src/testbench/files/trees-of-tape.ts'
import { record, replay } from '../../src/testbench/library/in-process.ts'
import { testbench } from '../../src/testbench/library/testbench.ts'
import { tempFolder } from '../support/temp-folder.ts'

// The root is the working directory, which is that of the tests: a name that nobody else uses.
const NAME = `overlay-in-process-${process.pid}.txt`

function change(): string {
  fs.writeFileSync(NAME, 'kept in the layer')
  return fs.readFileSync(NAME, 'utf8')
}

test('record with fs overlay: read back from the layer, and from the tape', async () => {
  const tape = join(tempFolder(), 'run.tape')
  expect(await record(tape, change, { fs: 'overlay' })).toBe('kept in the layer')
  expect(fs.existsSync(NAME)).toBe(false)
  expect((await replay(tape, change)).value).toBe('kept in the layer')
  const { before, after, sealed } = treesOfTape(tape)
  expect(sealed).toBe(true)
  expect(before.has(NAME)).toBe(false)
  expect(after.get(NAME)).toMatchObject({
    kind: 'file',
    bytes: new Uint8Array(Buffer.from('kept in the layer')),
  })
})

test('testbench with filesystem overlay', async () => {
  const tape = join(tempFolder(), 'run.tape')
  {
    await using _session = await testbench({ tape, filesystem: 'overlay' }).activate()
    expect(change()).toBe('kept in the layer')
  }
  expect(fs.existsSync(NAME)).toBe(false)
  expect(treesOfTape(tape).after.has(NAME)).toBe(true)
})
