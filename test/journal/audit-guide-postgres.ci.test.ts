/** The program of docs/guides/audit.md that keeps its journal in Postgres runs. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { startPostgres } from '../support/postgres.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

test('docs/guides/audit.md: the program with a database', async () => {
  const guide = readFileSync(`${root}docs/guides/audit.md`, 'utf8')
  const [, database = ''] = [...guide.matchAll(/```ts\n(.*?)```/gs)].map(([, code = '']) => code)
  const server = await startPostgres()
  try {
    const env = { ...process.env, DATABASE_URL: server.url }
    const printed = execFileSync(process.execPath, ['--input-type=module', '-e', database], {
      cwd: root,
      encoding: 'utf8',
      env,
    })
    expect(printed).toBe('0 page_in\n')
  } finally {
    await server.stop()
  }
})
