/**
 * What only the sqlite driver promises: its own file and no other, a clear word about what is no database,
 * and waiting for other processes.
 */
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { loadSqlite, type SqliteDatabase } from '../../src/real/sqlite.ts'
import { initState, listSessions, resumeState } from '../../src/state/index.ts'
import { runUnderNewerNodes } from '../support/newer-node.ts'
import { tempFolder } from '../support/temp-folder.ts'

const open = loadSqlite()
if (open === null) runUnderNewerNodes('test/state/sqlite.test.ts', ['node22', 'node26'])
else {
  const database = (file: string, sql: string): SqliteDatabase => {
    const opened = open(file)
    opened.exec(sql)
    return opened
  }

  test('looking for a session makes no file', async () => {
    const file = join(tempFolder(), 'state.db')
    expect(await listSessions(`sqlite:${file}`)).toEqual([])
    await expect(resumeState(`sqlite:${file}`, 's')).rejects.toMatchObject({ code: 'state-session-missing' })
    expect(existsSync(file)).toBe(false)
  })

  test('the file is its owner’s alone', async () => {
    const file = join(tempFolder(), 'state.db')
    await (await initState(`sqlite:${file}`)).close()
    expect(statSync(file).mode & 0o777).toBe(0o600)
  })

  test('a file that is no database is refused and left alone', async () => {
    const file = join(tempFolder(), 'notes.txt')
    const text = 'these are my notes, and no database at all\n'.repeat(200)
    writeFileSync(file, text)
    await expect(initState(`sqlite:${file}`)).rejects.toMatchObject({ code: 'state-database' })
    expect(readFileSync(file, 'utf8')).toBe(text)
  })

  test('a folder, and a folder that is not there', async () => {
    await expect(initState(`sqlite:${tempFolder()}`)).rejects.toMatchObject({ code: 'not-a-file' })
    await expect(initState(`sqlite:${join(tempFolder(), 'no/such/state.db')}`)).rejects.toMatchObject({
      code: 'not-found',
    })
  })

  test('a database of a newer layout is refused', async () => {
    const file = join(tempFolder(), 'state.db')
    await (await initState(`sqlite:${file}`)).close()
    database(file, 'insert into reprise_state_migrations values (99)').close()
    await expect(initState(`sqlite:${file}`)).rejects.toMatchObject({
      code: 'state-database',
      message: expect.stringContaining('layout 99'),
    })
  })

  test('tables of others in the file stay', async () => {
    const file = join(tempFolder(), 'shared.db')
    database(file, 'create table mine (x); insert into mine values (1); pragma user_version = 7').close()
    await using state = await initState(`sqlite:${file}`, { sessionId: 's' })
    await state.write('k', 'v')
    expect(database(file, 'select 1').prepare('select x from mine').all()).toHaveLength(1)
  })

  test('a lock of another connection is waited for, and named when it stays', async () => {
    const file = join(tempFolder(), 'state.db')
    await using state = await initState(`sqlite:${file}`, { sessionId: 's', lockTimeoutMs: 50 })
    const other = database(file, 'begin immediate')
    await expect(state.write('k', 'v')).rejects.toMatchObject({ code: 'state-locked' })
    other.exec('commit')
    await state.write('k', 'v')
    expect(await state.read('k')).toBe('v')
  })

  test('both kinds of durability, as the URL says', async () => {
    const file = join(tempFolder(), 'state.db')
    for (const synchronous of ['full', 'normal']) {
      await using state = await initState(`sqlite:${file}?synchronous=${synchronous}`, { sessionId: 's' })
      await state.write('k', synchronous)
      expect(await state.read('k')).toBe(synchronous)
    }
    await expect(initState(`sqlite:${file}?synchronous=off`)).rejects.toMatchObject({ code: 'state-url' })
  })
}
