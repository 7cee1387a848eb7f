/**
 * Changes that no digest of a module shows: the program gets a number from a module with a computed name, and
 * each number but 0 is another behaviour. Each is a divergence that names what changed.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { recordProgram } from '../support/recorded-program.ts'

const CHOICE = `const c = (await import(['./', 'choice', '.mjs'].join(''))).default\n`

/** What a program does, and for each change a part of the sentence that names it. */
const programs: Readonly<Record<string, readonly [source: string, named: readonly string[]]>> = {
  'variables and facts that were never read': [
    `import os from 'node:os'
     console.log(process.env.HOME !== '', os.hostname() !== '')
     if (c === 1) process.env.NEVER_READ
     if (c === 2) os.networkInterfaces()
     if (c === 3) Object.keys(process.env)
     if (c === 4) 'NEVER_READ' in process.env`,
    ['the variable NEVER_READ', 'os.networkInterfaces', 'all variables', 'the variable NEVER_READ'],
  ],
  'signals to other processes': [
    `const send = (signal) => { try { process.kill(process.ppid, signal) } catch {} }
     if (c !== 2) send(c === 1 ? 'SIGWINCH' : 0)
     if (c === 3) send(0)
     console.log('done')`,
    ['process.kill', 'process.kill', 'process.kill'],
  ],
  'the mask of files, and rights': [
    `process.umask(c === 1 ? 0o77 : 0o27)
     if (c === 2) process.umask(0o27)
     try { process.setuid(c === 3 ? 'no-such-user' : 'no-user') } catch (error) { console.log(error.code) }`,
    ['process.umask [23]', 'process.umask [23]', 'process.setuid ["no-user"]'],
  ],
  'whom the resolver asks': [
    `import dns from 'node:dns'
     const resolver = new dns.Resolver()
     resolver.setServers([c === 1 ? '127.0.0.8' : '127.0.0.9'])
     if (c !== 2) dns.setDefaultResultOrder('verbatim')
     if (c === 3) resolver.setLocalAddress('127.0.0.1')
     console.log('done')`,
    ['dns.setServers', 'dns.setDefaultResultOrder', 'dns.setLocalAddress'],
  ],
  'where a file is read': [
    `import fs from 'node:fs'
     const [fd, bytes] = [fs.openSync('input.txt'), Buffer.alloc(3)]
     fs.readSync(fd, bytes, 0, 3, 0)
     fs.readSync(fd, bytes, 0, 3, c === 1 ? 4 : 3)
     fs.readSync(fd, bytes, 0, 3, c === 2 ? 2 : 1)
     for await (const _ of fs.createReadStream('input.txt', { start: c === 3 ? 2 : 0 }));
     console.log('done')`,
    ['read input.txt {"at":4}', 'read input.txt {"at":2}', 'read input.txt {"at":2}'],
  ],
  'the folder of a child': [
    `import { spawnSync } from 'node:child_process'
     spawnSync('true', [], c === 1 ? { cwd: '/' } : {})
     console.log('done')`,
    ['at record 0: sync true @ *'],
  ],
  'the answer of a server': [
    `import http from 'node:http'
     const server = http.createServer((_request, response) => {
       response.writeHead(c === 1 ? 500 : 200, { 'x-a': c === 2 ? 'b' : 'a' }).end()
     })
     await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
     const { port } = server.address()
     await new Promise((resolve) => http.get({ port, host: '127.0.0.1', agent: false }, (answer) => answer.resume().on('end', resolve)))
     server.close()`,
    ['connection 1 of listen', 'connection 1 of listen'],
  ],
}

test.each(Object.entries(programs))('%s', async (_what, [source, named]) => {
  const files = { 'choice.mjs': 'export default 0', 'input.txt': 'input text' }
  const program = await recordProgram(CHOICE + source, {}, 'agent.mjs', [], files)
  expect(program.recorded.code).toBe(0)
  expect((await program.replay()).report).toMatchObject({ verdict: 'faithful', divergences: [] })
  for (const [at, words] of named.entries()) {
    writeFileSync(join(program.folder, 'choice.mjs'), `export default ${at + 1}`)
    const { code, stderr, report } = await program.replay()
    expect([words, code, report.verdict]).toEqual([words, 2, 'diverged'])
    expect(stderr).toContain(words)
  }
})
