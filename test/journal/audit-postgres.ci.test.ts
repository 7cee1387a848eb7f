/** `reprise audit postgres://…#session` reads a journal in a database, and never prints the password. */
import { expect, test } from 'vitest'
import { openPostgresJournal } from '../../src/journal/index.ts'
import { reprise } from '../support/cli.ts'
import { startPostgres } from '../support/postgres.ts'

test('audit, check, tail and export read a session from a database', async () => {
  const server = await startPostgres()
  try {
    const password = new URL(server.url).password
    for (const session of ['demo', 'other']) {
      const journal = await openPostgresJournal({ url: server.url, session })
      await journal.append({ kind: 'run_started', run_id: session, goal: 'Fix the test' })
      const call = { id: 'c1', name: 'shell', arguments: { cmd: 'npm test' } }
      await journal.append({ kind: 'tool_requested', turn: 0, calls: [call] })
      await journal.close()
    }
    const place = `${server.url}#demo`
    const runs = [
      await reprise(['audit', place]),
      await reprise(['audit', 'check', place]),
      await reprise(['audit', 'tail', place]),
      await reprise(['audit', 'export', '--format', 'csv', place]),
      await reprise(['audit', 'export', '--format', 'otlp', place]),
      await reprise(['audit', server.url]),
      await reprise(['audit', `${server.url}#nope`]),
    ]
    expect(runs.map(({ code }) => code)).toEqual([0, 0, 0, 0, 0, 64, 1])
    expect(runs[0]?.stdout).toMatch(/\d\d:\d\d:\d\d {2}t0 {4}shell \$ npm test/)
    expect(runs[5]?.stderr).toContain('demo, other')
    for (const { stdout, stderr } of runs) expect(stdout + stderr).not.toContain(password)
  } finally {
    await server.stop()
  }
})
