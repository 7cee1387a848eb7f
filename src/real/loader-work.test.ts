import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'

/** In a process of its own: others may read files here. */
const PROGRAM = `
  import { readFile } from 'node:fs/promises'
  import { MessageChannel } from 'node:worker_threads'
  import { mayBeLoading } from ${JSON.stringify(new URL('./loader-work.ts', import.meta.url).href)}
  const seen = [mayBeLoading()]
  const read = readFile(process.argv0)
  seen.push(mayBeLoading())
  await read.catch(() => undefined)
  seen.push(mayBeLoading())
  const { port1 } = new MessageChannel()
  port1.on('message', () => undefined)
  seen.push(mayBeLoading())
  port1.unref()
  seen.push(mayBeLoading())
  console.log(JSON.stringify(seen))
`

test('a file that is read and a port that is waited for count, and nothing else', () => {
  const words = ['--import', 'tsx', '--input-type=module', '--eval', PROGRAM]
  const seen = execFileSync(process.execPath, words, { encoding: 'utf8' })
  expect(JSON.parse(seen)).toEqual([false, true, false, true, false])
})
