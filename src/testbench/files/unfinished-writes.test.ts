/** What a run has written counts though it ends before it is told that the write is done. */
import fs from 'node:fs'
import fsp from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { record, replay } from '../library/in-process.ts'

type Body = (folder: string, text: string) => unknown

const bodies: readonly (readonly [what: string, body: Body])[] = [
  [
    'a descriptor that stays open',
    (folder, text) => fs.writeSync(fs.openSync(join(folder, 'out.log'), 'w'), text),
  ],
  [
    'a log that is added to',
    (folder, text) => {
      const fd = fs.openSync(join(folder, 'old.log'), 'a')
      fs.writeSync(fd, `${text}\n`)
      fs.writeSync(fd, 'end')
    },
  ],
  [
    'a place in the middle',
    (folder, text) => fs.writeSync(fs.openSync(join(folder, 'old.log'), 'r+'), text, 2),
  ],
  [
    'a log that is cut and added to',
    (folder, text) => {
      const fd = fs.openSync(join(folder, 'old.log'), 'a+')
      fs.writeSync(fd, 'before')
      fs.ftruncateSync(fd, 4)
      fs.writeSync(fd, text)
    },
  ],
  [
    'a place after one that was read',
    (folder, text) => {
      const fd = fs.openSync(join(folder, 'old.log'), 'r+')
      fs.readSync(fd, Buffer.alloc(2))
      fs.readSync(fd, Buffer.alloc(3), 0, 3, 9)
      fs.writeSync(fd, text)
    },
  ],
  ['a promise that is not awaited', (folder, text) => void fsp.writeFile(join(folder, 'out.txt'), text)],
  ['a promise that adds', (folder, text) => void fsp.appendFile(join(folder, 'old.log'), text)],
  [
    'a callback that never comes',
    (folder, text) => fs.writeFile(join(folder, 'out.txt'), text, () => undefined),
  ],
  [
    'a handle that stays open',
    async (folder, text) => void (await (await fsp.open(join(folder, 'out.txt'), 'w')).write(text)),
  ],
  [
    'a handle that is being closed',
    async (folder, text) => {
      const handle = await fsp.open(join(folder, 'out.txt'), 'w')
      await handle.write(text)
      void handle.close()
    },
  ],
]

test.for(bodies)('%s', async ([, body]) => {
  const folder = tempFolder()
  const tape = join(tempFolder(), 'run.tape')
  fs.writeFileSync(join(folder, 'old.log'), 'what was there\n')
  await record(tape, () => body(folder, 'first'))
  const { report } = await replay(tape, () => body(folder, 'first'))
  expect(report).toMatchObject({ verdict: 'faithful', divergences: [] })
  await expect(replay(tape, () => body(folder, 'other'))).rejects.toThrow(
    /not finished at the end, has another content, first at line [12]/,
  )
})
