/** What a tape contains about a `fetch` does not depend on what this process did before. */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import http from 'node:http'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { listening } from '../../../test/support/listening.ts'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { record, replay } from './in-process.ts'

async function requests(url: string): Promise<string> {
  const [answer] = await once(http.get(`${url}/first`), 'response')
  await once(answer.resume(), 'end')
  return await (await fetch(`${url}/second`)).text()
}

const connections = (tape: string): number =>
  readFileSync(tape, 'utf8').split('"key":"connect http:').length - 1

test('a connection of another client does not change how a fetch is recorded', async () => {
  const server = await listening(http.createServer((request, response) => response.end(request.url)))
  onTestFinished(() => server.stop())
  // Loads undici, as an earlier test may have done.
  await fetch('data:,')
  const tape = join(tempFolder(), 'run.tape')
  expect(await record(tape, () => requests(server.url))).toBe('/second')
  expect(connections(tape)).toBe(1)
  const { report, value } = await replay(tape, () => requests(server.url))
  expect([report.verdict, value]).toEqual(['faithful', '/second'])
})
