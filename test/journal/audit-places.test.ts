/**
 * `reprise audit` of folders and databases; commands and times in the time line; no password in any output.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openJournal } from '../../src/journal/index.ts'
import { reprise } from '../support/cli.ts'
import { tempFolder } from '../support/temp-folder.ts'

async function folderWith(...sessions: string[]): Promise<string> {
  const dir = tempFolder()
  for (const session of sessions) {
    const journal = await openJournal({ dir, session, at: true })
    await journal.append({ kind: 'run_started', run_id: session, goal: 'Fix the test' })
    const call = { id: 'c1', name: 'shell', arguments: { cmd: 'npm test' } }
    await journal.append({ kind: 'tool_requested', turn: 0, calls: [call] })
    await journal.close()
  }
  return dir
}

test('the time line has commands and times', async () => {
  const dir = await folderWith('demo')
  const { stdout } = await reprise(['audit', join(dir, 'demo.jsonl')])
  expect(stdout).toMatch(/^ {2}1 {2}\d{4}-\d\d-\d\d \d\d:\d\d:\d\d {2}t0 {4}shell \$ npm test$/m)
})

test('a folder with one session is that session; one with several shows each', async () => {
  const one = await folderWith('demo')
  expect((await reprise(['audit', one])).stdout).toBe(
    (await reprise(['audit', join(one, 'demo.jsonl')])).stdout,
  )
  expect((await reprise(['audit', 'check', one])).code).toBe(0)
  const two = await folderWith('first', 'second')
  const { code, stdout } = await reprise(['audit', two])
  expect(code).toBe(0)
  expect(stdout.split('\n').filter((line) => line.endsWith('.jsonl'))).toEqual([
    join(two, 'first.jsonl'),
    join(two, 'second.jsonl'),
  ])
  expect(JSON.parse((await reprise(['audit', two, '--json'])).stdout)).toHaveLength(2)
  expect(await reprise(['audit', 'verify', two])).toMatchObject({
    code: 64,
    stderr: expect.stringContaining('has 2 session logs [usage]; hint: name one of them'),
  })
})

test('a folder without logs is an error', async () => {
  const folder = tempFolder()
  mkdirSync(join(folder, 'empty'))
  writeFileSync(join(folder, 'empty/notes.txt'), '')
  expect(await reprise(['audit', join(folder, 'empty')])).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/ it is a folder without session logs \[not-a-file\]/),
  })
})

test.each([
  ['audit'],
  ['audit', 'check'],
  ['audit', 'tail'],
  ['audit', 'verify'],
  ['audit', 'export', '--format', 'csv'],
])('%s %s of a database that does not answer prints no password', async (...words) => {
  const { code, stdout, stderr } = await reprise([...words, 'postgres://me:s3cret-word@127.0.0.1:1/db#demo'])
  expect(code).not.toBe(0)
  expect(stdout + stderr).not.toContain('s3cret-word')
  expect(stderr).toMatch(/\[(journal-database|usage)\]/)
})
