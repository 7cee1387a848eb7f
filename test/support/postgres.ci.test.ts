import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { expect, test } from 'vitest'
import { startPostgres } from './postgres.ts'

test('gives a server that answers, and takes it away', async () => {
  const server = await startPostgres()
  const client = new pg.Client({ connectionString: server.url })
  await client.connect()
  expect((await client.query('select 40 + 2 as answer')).rows).toEqual([{ answer: 42 }])
  await client.end()
  await server.stop()
  await expect(reaches(server.url)).resolves.toBe(false)
})

test('a test run that is killed leaves no server behind', async () => {
  const support = fileURLToPath(new URL('./postgres.ts', import.meta.url))
  const program = `import { startPostgres } from ${JSON.stringify(support)}; startPostgres().then((s) => console.log(s.url)); setInterval(() => {}, 1000)`
  const run = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [url] = await once(createInterface(run.stdout), 'line')
  await expect(reaches(url)).resolves.toBe(true)
  const connection = await hold(url)
  run.kill('SIGKILL')
  await once(connection, 'close')
  for (;;) if (!(await reaches(url))) break
})

function hold(url: string): Promise<ReturnType<typeof connect>> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () =>
      resolve(socket.on('error', () => undefined).resume()),
    )
    socket.once('error', reject)
  })
}

async function reaches(url: string): Promise<boolean> {
  try {
    const socket = await hold(url)
    socket.destroy()
    return true
  } catch {
    return false
  }
}
