/** A recorded process keeps the fast promises of plain Node: no promise hooks, unless the program asks for them. */
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { reprise } from '../support/cli.ts'
import { startLocalServer } from '../support/local-server.ts'
import { newerNode } from '../support/newer-node.ts'
import { tempFolder } from '../support/temp-folder.ts'

/** Without promise hooks a continuation has no id. */
const PROGRAM = `
import { AsyncLocalStorage, executionAsyncId } from 'node:async_hooks'
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import http from 'node:http'
import net from 'node:net'
import { setTimeout } from 'node:timers/promises'

const url = process.argv[2]
await setTimeout(1)
await readFile(new URL(import.meta.url))
await (await fetch(url, { method: 'POST', body: 'x' })).text()
const [answer] = await once(http.get(url), 'response')
for await (const chunk of answer) chunk.length
await once(spawn('true'), 'close')
const socket = net.connect(new URL(url).port, '127.0.0.1')
socket.write('no request\\r\\n\\r\\n')
await once(socket, 'data')
socket.destroy()
await new Promise((resolve) => randomBytes(8, resolve))
await new Promise((resolve) => setImmediate(resolve))
await null
console.log('id', executionAsyncId())
const context = new AsyncLocalStorage()
const read = async () => {
  await null
  await (await fetch(url)).text()
  await setTimeout(1)
  return context.getStore()
}
console.log(await Promise.all([context.run('a', read), context.run('b', read)]))
`

for (const name of ['this Node', 'node22', 'node24', 'node26']) {
  test(`on ${name}`, async (context) => {
    const node = name === 'this Node' ? process.execPath : newerNode(name)
    if (node === null) return context.skip(name)
    const folder = tempFolder()
    writeFileSync(join(folder, 'main.mjs'), PROGRAM)
    const server = await startLocalServer()
    const recorded = await reprise(['record', '--out', 'run.tape', '--', node, 'main.mjs', server.url], {
      cwd: folder,
    })
    const ask = "Promise.resolve().then(() => console.log('id', require('async_hooks').executionAsyncId()))"
    const plain = execFileSync(node, ['-e', ask])
    await server.stop()
    expect(recorded.stderr).not.toContain('rror')
    expect(recorded.stdout).toContain(String(plain))
    expect(recorded.stdout).toContain("[ 'a', 'b' ]")
    const replayed = await reprise(['replay', 'run.tape'], { cwd: folder })
    expect([replayed.code, replayed.stdout]).toEqual([0, recorded.stdout])
  })
}
