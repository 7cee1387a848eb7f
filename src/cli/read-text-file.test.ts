import { truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tempFolder } from '../../test/support/temp-folder.ts'
import { readNamedFile, readTextFile } from './read-text-file.ts'

test('a file is read whole', async () => {
  const file = join(tempFolder(), 'text')
  writeFileSync(file, 'words')
  expect(await readTextFile(file)).toBe('words')
  writeFileSync(file, '')
  expect(await readTextFile(file)).toBe('')
})

test('a file that is too large for its purpose is refused before it is read', async () => {
  const file = join(tempFolder(), 'large')
  writeFileSync(file, '')
  truncateSync(file, 2 ** 40)
  await expect(readTextFile(file)).rejects.toMatchObject({
    code: 'not-a-file',
    message: `cannot read ${file}: it has more than 128 MiB`,
  })
})

test.runIf(process.platform === 'linux')('files of /proc are read up to a limit', async () => {
  expect(await readTextFile('/proc/self/status')).toContain(`Pid:\t${process.pid}`)
  const refused = { code: 'not-a-file', message: 'cannot read /proc/self/pagemap: it has more than 1 MiB' }
  await expect(readNamedFile('/proc/self/pagemap')).rejects.toMatchObject(refused)
})
