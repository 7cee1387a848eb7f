/** Paths that are no plain files: each command ends with one line that has a code and a hint. */
import { spawnSync } from 'node:child_process'
import { closeSync, constants, mkdirSync, openSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { readFilledLines } from '../../src/journal/file/read-lines.ts'
import { reprise } from '../support/cli.ts'
import { tempFolder } from '../support/temp-folder.ts'

let cwd = ''
beforeAll(async () => {
  cwd = tempFolder()
  writeFileSync(join(cwd, 'agent.mjs'), '')
  mkdirSync(join(cwd, 'folder'))
  symlinkSync('loop', join(cwd, 'loop'))
  spawnSync('mkfifo', [join(cwd, 'pipe')])
  await reprise(['record', '--out', 'run.tape', '--', 'node', 'agent.mjs'], { cwd })
})

const outputs = [
  ['pipe', 'cannot write pipe: ENXIO [io]; hint: name a file'],
  ['folder', 'cannot write folder: it is a folder [not-a-file]; hint: name a file'],
  ['loop', 'cannot write loop: ELOOP [io]; hint: name a file'],
  ['/dev/full', 'cannot write /dev/full: ENOSPC [io]; hint: free some disk space'],
  ['run.tape', '--report run.tape would overwrite what it reports on [usage]; hint: choose another file'],
] as const

describe.skipIf(process.platform !== 'linux')('on Linux', () => {
  test.each(outputs)('replay --report %s', async (file, line) => {
    const { stderr } = await reprise(['replay', 'run.tape', '--report', file], { cwd })
    expect(stderr.split('\n')).toEqual([expect.stringContaining(line), ''])
  })

  test.each(outputs.slice(0, 4))('record --report %s', async (file, line) => {
    const command = ['record', '--out', 'new.tape', '--force', '--report', file, '--', 'node', 'agent.mjs']
    const { stderr } = await reprise(command, { cwd })
    expect(stderr.split('\n')).toEqual([expect.stringContaining(line), ''])
  })

  test('replay --emit-diff to a pipe that no process reads', async () => {
    const { stderr } = await reprise(['replay', 'run.tape', '--emit-diff', 'pipe'], { cwd })
    expect(stderr).toContain('pipe: ENXIO [io]; hint: name a file')
  })

  test('a pipe that is read gets the report', async () => {
    spawnSync('mkfifo', [join(cwd, 'read')])
    const reader = openSync(join(cwd, 'read'), constants.O_RDONLY | constants.O_NONBLOCK)
    const { code } = await reprise(['replay', 'run.tape', '--report', 'read'], { cwd })
    const report = readFileSync(reader, 'utf8')
    closeSync(reader)
    expect(code).toBe(0)
    expect(JSON.parse(report)).toMatchObject({ verdict: 'faithful' })
  })

  test.each([['audit'], ['audit', 'check'], ['audit', 'verify'], ['view', '--export', 'x.html']])(
    '%s %s of what cannot be read',
    async (...words) => {
      for (const [path, codes] of [
        ['loop', /loop: ELOOP \[io\]; hint: /],
        ['/proc/self/mem', /mem: EIO \[io\]; hint: /],
        ['/proc/self/pagemap', /pagemap: (?:it is not a regular file \[not-a-file\]|EINVAL \[io\]); hint: /],
      ] as const) {
        const { code, stderr } = await reprise([...words, path], { cwd })
        expect(stderr.split('\n')).toEqual([expect.stringMatching(codes), ''])
        expect(code).toBe(1)
      }
    },
  )
})

test('empty lines of a log are counted and left out', async () => {
  const path = join(cwd, 'blank.jsonl')
  writeFileSync(path, '\n\r\n{}\n\n')
  const file = openSync(path, 'r')
  const found: unknown[] = []
  for await (const lines of readFilledLines(file, path)) found.push(...lines)
  closeSync(file)
  expect(found).toEqual([{ number: 3, offset: 3, text: '{}', lengthBytes: 2, problem: null, ended: true }])
})
