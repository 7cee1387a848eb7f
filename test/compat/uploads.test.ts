/**
 * A body that is made while it is sent reaches the server as it comes, recorded or not, and is replayed
 * without the server.
 */
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { reprise } from '../support/cli.ts'
import { type Listening, listening } from '../support/listening.ts'
import { runChild } from '../support/run-child.ts'
import { tempFolder } from '../support/temp-folder.ts'

const program = fileURLToPath(new URL('programs/uploads.mjs', import.meta.url))

const EXPECTED = [
  'fetch: got first part, seen before the last part was written',
  'undici.request: got first part, seen before the last part was written',
  'undici.stream: got first part, seen before the last part was written',
  'undici.pipeline: got first part, seen before the last part was written',
  'http.request: got first part, seen before the last part was written',
  'an answer before the end: early, then first part, the rest',
  'a source that fails: TypeError: no more',
  '',
].join('\n')

async function startUploadServer(): Promise<Listening> {
  const seen = new Map<string, string>()
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { pathname, search } = new URL(request.url ?? '/', 'http://x')
    if (pathname === '/seen') return void response.end(seen.get(search) ?? '')
    if (pathname === '/early') response.write('early')
    let all = ''
    for await (const part of request) {
      all += part
      seen.set(search, all)
    }
    response.end(pathname === '/early' ? `, then ${all}` : `got ${all}`)
  }
  const server = createServer(
    (request, response) => void answer(request, response).catch(() => response.destroy()),
  )
  return listening(server)
}

test('without a recorder the server sees the first part first', async () => {
  const server = await startUploadServer()
  const plain = await runChild(process.execPath, [program], { env: { ...process.env, BASE: server.url } })
  await server.stop()
  expect(plain).toMatchObject({ code: 0, stderr: '', stdout: EXPECTED })
})

test('recorded it does too, and a replay without the server is the same', async () => {
  const server = await startUploadServer()
  const tape = join(tempFolder(), 'run.tape')
  const recorded = await reprise(['record', '--out', tape, '--', process.execPath, program], {
    env: { ...process.env, BASE: server.url },
  })
  await server.stop()
  expect(recorded).toMatchObject({ code: 0, stderr: '', stdout: EXPECTED })
  const replayed = await reprise(['replay', tape, '--report', `${tape}.json`], {
    env: { PATH: process.env.PATH },
  })
  expect(replayed).toMatchObject({ code: 0, stderr: '', stdout: EXPECTED })
  expect(JSON.parse(readFileSync(`${tape}.json`, 'utf8'))).toMatchObject({
    verdict: 'faithful',
    divergences: [],
    unused: [],
    gaps: [],
  })
})
