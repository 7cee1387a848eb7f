/** State in Postgres in a recorded run: the tape has every answer, and a replay needs no server. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { initState, resumeState } from '../../src/state/index.ts'
import { record, replay } from '../../src/testbench/index.ts'
import { startPostgres } from '../support/postgres.ts'
import { tempFolder } from '../support/temp-folder.ts'

test('what a Postgres server answered is replayed without it', { timeout: 60_000 }, async () => {
  const tape = join(tempFolder(), 'postgres.tape')
  const server = await startPostgres()
  const body = async (): Promise<unknown> => {
    await using state = await initState(server.url, { sessionId: 's' })
    const written = [
      await state.write('k', '1'),
      await state.write('k', '2'),
      await state.delete('k'),
      await state.write('k', '3'),
    ]
    await state.transaction(async (tx) => tx.write('k', `${await tx.read('k')}+`))
    await using second = await resumeState(server.url, 's', { writerId: 'second', conflictPolicy: 'error' })
    const error = await second.write('k', 'x').catch((cause: { code: string }) => cause.code)
    return [written, await state.read('k'), (await state.history('k')).map(({ version }) => version), error]
  }
  let recorded: unknown
  try {
    recorded = await record(tape, body)
  } finally {
    await server.stop()
  }
  expect(recorded).toMatchObject([
    [{ version: '1-d63bd9a826af91c1' }, {}, true, {}],
    '3+',
    expect.arrayContaining(['3-deleted']),
    'state-conflict',
  ])
  expect(readFileSync(tape, 'utf8')).not.toMatch(/"gap"|"boundary":"network"/)
  const again = await replay(tape, body)
  expect([again.report.verdict, again.value]).toEqual(['faithful', recorded])
})
