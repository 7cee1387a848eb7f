/**
 * A database in a file goes past `node:fs`: a gap while recording, and in a replay neither read nor written.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, type TestContext, test } from 'vitest'
import { reprise } from '../support/cli.ts'
import { newerNode } from '../support/newer-node.ts'
import { tempFolder } from '../support/temp-folder.ts'

const program = (file: string): string => `
  import { DatabaseSync } from 'node:sqlite'
  const db = new DatabaseSync(${JSON.stringify(file)})
  db.exec('create table if not exists runs (at)')
  db.prepare('insert into runs values (?)').run(Date.now())
  console.log(db.prepare('select count(*) as n from runs').get().n)`

async function recorded(context: TestContext, file: string) {
  const node = newerNode('node24')
  if (node === null) return context.skip('node24')
  const folder = tempFolder()
  writeFileSync(join(folder, 'agent.mjs'), program(file))
  const run = await reprise(['record', '--out', 'run.tape', '--', node, 'agent.mjs'], { cwd: folder })
  expect([run.code, run.stdout]).toEqual([0, '1\n'])
  const replay = async () => {
    const { code } = await reprise(['replay', 'run.tape', '--report', 'report.json'], { cwd: folder })
    return { code, report: JSON.parse(readFileSync(join(folder, 'report.json'), 'utf8')) }
  }
  return { folder, replay }
}

test('in a file', async (context) => {
  const { folder, replay } = await recorded(context, 'agent.db')
  const before = readFileSync(join(folder, 'agent.db'))
  const { code, report } = await replay()
  expect([code, report.verdict]).toEqual([2, 'unverified'])
  expect(report.gaps).toMatchObject([{ boundary: 'filesystem', reason: 'node:sqlite: agent.db' }])
  expect(report.divergences[0].message).toMatch(
    /^Replay cannot go past record \d+: node:sqlite: agent.db, which was not recorded$/,
  )
  expect(readFileSync(join(folder, 'agent.db'))).toEqual(before)
})

test('in memory', async (context) => {
  const { replay } = await recorded(context, ':memory:')
  expect(await replay()).toMatchObject({ code: 0, report: { verdict: 'faithful', gaps: [] } })
})
