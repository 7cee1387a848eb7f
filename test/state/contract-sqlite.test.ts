import { join } from 'node:path'
import { expect, test } from 'vitest'
import { loadSqlite } from '../../src/real/sqlite.ts'
import { initState } from '../../src/state/index.ts'
import { runUnderNewerNodes } from '../support/newer-node.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { stateContract } from './contract.ts'

if (loadSqlite() !== null)
  stateContract({ name: 'sqlite', place: () => `sqlite:${join(tempFolder(), 'state.db')}` })
else {
  test('sqlite: a Node without it is told which one has it', async () => {
    await expect(initState(`sqlite:${join(tempFolder(), 'state.db')}`)).rejects.toMatchObject({
      code: 'state-driver-unavailable',
      message: `agent_state: the sqlite driver needs Node 22.13 or newer; this is ${process.version}`,
    })
  })
  runUnderNewerNodes('test/state/contract-sqlite.test.ts', ['node22', 'node24'])
}
