/** `reprise state …` on Postgres. */
import { expect, test } from 'vitest'
import { reprise } from '../support/cli.ts'
import { startPostgres } from '../support/postgres.ts'

test('a value is written and read, and the password is not printed', async () => {
  const server = await startPostgres()
  try {
    const state = (words: readonly string[]) =>
      reprise(['state', ...words, '--root', server.url, '--session', 's'])
    await state(['init'])
    expect(await state(['write', 'k', 'v'])).toMatchObject({ code: 0, stderr: '' })
    expect(await state(['read', 'k'])).toMatchObject({ code: 0, stdout: 'v' })
    expect((await state(['resume'])).stdout).not.toContain(new URL(server.url).password)
  } finally {
    await server.stop()
  }
})
