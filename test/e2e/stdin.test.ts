/** `process.stdin` through the built command line: recorded from a pipe, replayed with nothing on stdin. */
import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { reprise } from '../support/cli.ts'
import { type ChildRun, runChild } from '../support/run-child.ts'
import { tempFolder } from '../support/temp-folder.ts'

const LINES = Array.from({ length: 9000 }, (_, n) => `line ${n} with ünïcode`).join('\n')

type Run = {
  readonly plain: ChildRun
  readonly recorded: ChildRun
  readonly replays: readonly ChildRun[]
  readonly tape: string
}

async function run(source: string, input: string): Promise<Run> {
  const folder = tempFolder()
  writeFileSync(join(folder, 'agent.mjs'), source)
  const plain = await runChild(process.execPath, ['agent.mjs'], { cwd: folder, input })
  const recorded = await reprise(['record', '--out', 'run.tape', '--', process.execPath, 'agent.mjs'], {
    cwd: folder,
    input,
  })
  const replays: ChildRun[] = []
  for (let round = 0; round < 2; round += 1)
    replays.push(await reprise(['replay', 'run.tape'], { cwd: folder, input: 'nothing of this is read' }))
  return { plain, recorded, replays, tape: readFileSync(join(folder, 'run.tape'), 'utf8') }
}

test.each([
  [
    'line by line, amid timers',
    `import readline from 'node:readline'
     const hash = (await import('node:crypto')).createHash('sha256'); let n = 0
     for await (const line of readline.createInterface({ input: process.stdin })) { n += 1; hash.update(line); if (n % 3000 === 0) await new Promise((done) => setTimeout(done, 2)) }
     console.log(n, hash.digest('hex'))`,
  ],
  [
    'by its named import',
    `import { stdin } from 'node:process'; let n = 0; for await (const part of stdin) n += part.length; console.log(n, stdin === process.stdin)`,
  ],
  [
    'by iteration',
    `let text = ''; process.stdin.setEncoding('utf8'); for await (const part of process.stdin) text += part; console.log(text.length, text.slice(-20))`,
  ],
  [
    'by data events',
    `const parts = []; process.stdin.on('data', (part) => parts.push(part)).on('end', () => console.log('end', Buffer.concat(parts).length)).on('close', () => console.log('close'))`,
  ],
  [
    'by readable events and sizes',
    `let bytes = 0, part; process.stdin.on('readable', () => { while ((part = process.stdin.read(1000)) !== null) bytes += part.length }).on('end', () => console.log('end', bytes))`,
  ],
  [
    'piped on',
    `import { pipeline } from 'node:stream/promises'; import zlib from 'node:zlib'; const z = zlib.createGzip(); let n = 0; z.on('data', (part) => { n += part.length })
     await pipeline(process.stdin, z); console.log(n)`,
  ],
  [
    'whole, by its descriptor',
    `import fs from 'node:fs'; const text = fs.readFileSync(0, 'utf8'); console.log(text.length, text.slice(-20), fs.fstatSync(0).isFIFO())`,
  ],
  [
    'in pieces, by its descriptor',
    `import fs from 'node:fs'; const part = Buffer.alloc(65536); let n = 0, got; while ((got = fs.readSync(0, part)) > 0) n += got; console.log(n)`,
  ],
  [
    'only looked at',
    `console.log(process.stdin.isTTY, process.stdin.fd, process.stdin.readableFlowing, process.stdin === process.stdin, typeof process.stdin.setRawMode)`,
  ],
])('%s: as in plain Node, and again from the tape', async (_name, source) => {
  const { plain, recorded, replays } = await run(source, LINES)
  expect(recorded).toEqual(plain)
  expect(recorded.stdout).not.toBe('')
  for (const replay of replays) expect(replay).toEqual(recorded)
})

test('a program that stops reading ends, and how much it took comes out the same', async () => {
  const source = `process.stdin.once('data', (part) => { console.log('took', part.length); process.stdin.pause() })`
  const { recorded, replays } = await run(source, LINES)
  expect(recorded).toMatchObject({ code: 0, stderr: '' })
  expect(recorded.stdout).toMatch(/^took \d+\n$/)
  for (const replay of replays) expect(replay).toEqual(recorded)
})

test('an empty stdin, and one that is never read', async () => {
  const empty = await run(`process.stdin.on('end', () => console.log('end')).resume()`, '')
  expect(empty.recorded).toEqual({ code: 0, signal: null, stdout: 'end\n', stderr: '' })
  expect(empty.replays).toEqual([empty.recorded, empty.recorded])
  const unread = await run(`console.log('no need')`, LINES)
  expect(unread.recorded.stdout).toBe('no need\n')
  expect(unread.replays).toEqual([unread.recorded, unread.recorded])
  expect(unread.tape).not.toContain('"key":"process.stdin"')
})

test('a secret that is piped in does not reach the tape', async () => {
  const secret = `sk-ant-api03-${'A1b2'.repeat(23)}`
  const { recorded, replays, tape } = await run(
    `let text = ''; for await (const part of process.stdin) text += part; console.log(text.startsWith('key='), text.endsWith(' rest'))`,
    `key=${secret} rest`,
  )
  expect(recorded.stdout).toBe('true true\n')
  expect(replays[0]?.stdout).toBe('true true\n')
  expect(tape).not.toContain(secret)
  expect(tape).toContain('<redacted:')
})

test('a paused clock goes on while stdin is open and nothing comes', async () => {
  const folder = tempFolder()
  writeFileSync(
    join(folder, 'agent.mjs'),
    "process.stdin.on('data', (data) => console.log(String(data))); setTimeout(() => { console.log('late'); process.exit() }, 3_600_000)",
  )
  const bin = new URL('../../bin/reprise.js', import.meta.url).pathname
  const child = spawn(
    process.execPath,
    [bin, 'record', '--quiet', '--out', 'run.tape', '--clock', 'paused', '--', process.execPath, 'agent.mjs'],
    {
      cwd: folder,
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  )
  child.stdin.write('hello')
  const said: string[] = []
  child.stdout.on('data', (chunk) => said.push(String(chunk)))
  const code = await new Promise((resolve) => child.on('close', resolve))
  child.stdin.destroy()
  expect([code, said.join('')]).toEqual([0, 'hello\nlate\n'])
})
