/**
 * The ends of the process by their names (`/dev/stdin`, `/dev/stdout`), in a shell's pipes: sockets, which
 * Node makes for children, cannot be opened by name.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { type ChildRun, runChild } from '../support/run-child.ts'
import { tempFolder } from '../support/temp-folder.ts'

const bin = fileURLToPath(new URL('../../bin/reprise.js', import.meta.url))

const program = (text: string): string => `
import fs from 'node:fs'
import { once } from 'node:events'
const prompt = await fs.promises.readFile('/dev/stdin', 'utf8')
fs.writeFileSync('/dev/stdout', prompt)
fs.appendFileSync('/dev/stderr', 'one ${text}\\n')
await fs.promises.appendFile('/dev/stdout', 'two ${text}\\n')
await new Promise((done) => fs.writeFile('/dev/stderr', 'three ${text}\\n', done))
await once(fs.createWriteStream('/dev/fd/1').end('four ${text}\\n'), 'finish')
const fd = fs.openSync('/dev/fd/2', 'a')
fs.writeSync(fd, 'five ${text}\\n')
fs.closeSync(fd)
fs.writeFileSync(1, 'six ${text}\\n')
const other = fs.openSync('out.txt', 'w')
fs.writeSync(other, 'no output')
fs.closeSync(other)`

const piped = (folder: string, input: string, command: string): Promise<ChildRun> =>
  runChild(
    'sh',
    [
      '-c',
      `printf '%s' "$INPUT" | { ${command}; code=$?; } 2>&1 >out.log | cat >err.log; cat out.log >&1; cat err.log >&2`,
    ],
    {
      cwd: folder,
      env: { ...process.env, INPUT: input },
    },
  )

test('are read from the tape and count as output', async () => {
  const folder = tempFolder()
  writeFileSync(join(folder, 'agent.mjs'), program('a'))
  const input = 'a prompt\nof two lines\n'
  const command = `"${process.execPath}" agent.mjs | cat`
  const plain = await piped(folder, input, command)
  expect(plain).toEqual({
    code: 0,
    signal: null,
    stdout: `${input}two a\nfour a\nsix a\n`,
    stderr: 'one a\nthree a\nfive a\n',
  })
  const recorded = await piped(
    folder,
    input,
    `"${process.execPath}" "${bin}" record --quiet --out run.tape -- ${command}`,
  )
  expect(recorded).toEqual(plain)
  const seal = JSON.parse(readFileSync(join(folder, 'run.tape'), 'utf8').trim().split('\n').at(-1) ?? '')
  expect(seal.kind).toMatchObject({
    stdout: { bytes: Buffer.byteLength(plain.stdout) },
    stderr: { bytes: Buffer.byteLength(plain.stderr) },
  })

  const replay = `"${process.execPath}" "${bin}" replay run.tape --report report.json | cat`
  expect(await piped(folder, 'something else', replay)).toEqual(plain)
  expect(JSON.parse(readFileSync(join(folder, 'report.json'), 'utf8'))).toMatchObject({ verdict: 'faithful' })

  writeFileSync(join(folder, 'agent.mjs'), program('b'))
  await piped(folder, '', replay)
  const { divergences } = JSON.parse(readFileSync(join(folder, 'report.json'), 'utf8'))
  expect(divergences.map(({ category }: { readonly category: string }) => category)).toEqual([
    'stdout',
    'stderr',
  ])
})
