/** A run that was recorded on a terminal replays in a pipe, and the reverse: it prints the same. */
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as pty from '@lydell/node-pty'
import { expect, test } from 'vitest'
import { runChild } from '../support/run-child.ts'
import { tempFolder } from '../support/temp-folder.ts'

const cli = fileURLToPath(new URL('../../bin/reprise.js', import.meta.url))

const PROGRAM = `
import tty from 'node:tty'
// Node loads modules for it that create stderr.
await fetch('data:text/plain,x')
await fetch('http://127.0.0.1:1').catch(() => undefined)
const { stdout } = process
console.log('SEEN', { a: 1 }, stdout.isTTY, stdout.columns, stdout.rows, stdout.hasColors?.(), stdout.getWindowSize?.())
console.log('SEEN', tty.isatty(0), tty.isatty(1), tty.isatty(2), typeof stdout.cursorTo)
console.error('SEEN', { b: 2 }, process.stderr.isTTY)
stdout.cursorTo?.(0)
`

type Size = { readonly cols: number; readonly rows: number }

test.each<{ readonly name: string; readonly recorded: Size | null; readonly replayed: Size | null }>([
  { name: 'a terminal, replayed in a pipe', recorded: { cols: 100, rows: 30 }, replayed: null },
  { name: 'a pipe, replayed on a terminal', recorded: null, replayed: { cols: 100, rows: 30 } },
  {
    name: 'a terminal, replayed on another',
    recorded: { cols: 100, rows: 30 },
    replayed: { cols: 60, rows: 20 },
  },
])('recorded on $name', async ({ recorded, replayed }) => {
  const folder = tempFolder()
  writeFileSync(join(folder, 'program.mjs'), PROGRAM)
  const record = await run(folder, recorded, ['record', '--out', 'run.tape', '--', 'node', 'program.mjs'])
  expect(record.code, record.text).toBe(0)
  expect(record.seen.join()).toContain(recorded === null ? '{ a: 1 } undefined undefined' : '100')
  const replay = await run(folder, replayed, ['replay', 'run.tape'])
  expect([replay.code, replay.seen], replay.text).toEqual([0, record.seen])
  // A faithful replay is silent in a pipe: scripts read its output.
  expect(replay.text.includes('faithful: run.tape was replayed')).toBe(replayed !== null)
  rmSync(folder, { recursive: true })
})

/** On a terminal of this size, or with pipes. */
async function run(
  cwd: string,
  size: Size | null,
  args: readonly string[],
): Promise<{ code: number | null; text: string; seen: string[] }> {
  const { FORCE_COLOR: _, NO_COLOR: __, COLORTERM: ___, ...others } = process.env
  const env = { ...others, TERM: 'xterm-256color' }
  const done = size === null ? await inPipes(cwd, env, args) : await onTerminal(cwd, env, size, args)
  // In pipes stderr comes after stdout, which ends with the movement of the cursor.
  const lines = done.text.replaceAll('\u001b[1G', '').split(/\r?\n/)
  const seen = lines.filter((line) => line.includes('SEEN'))
  return { ...done, seen: seen.sort() }
}

async function inPipes(
  cwd: string,
  env: NodeJS.ProcessEnv,
  args: readonly string[],
): Promise<{ code: number | null; text: string }> {
  const { code, stdout, stderr } = await runChild(process.execPath, [cli, ...args], { cwd, env })
  return { code, text: stdout + stderr }
}

function onTerminal(
  cwd: string,
  env: NodeJS.ProcessEnv,
  size: Size,
  args: readonly string[],
): Promise<{ code: number; text: string }> {
  return new Promise((resolve) => {
    const terminal = pty.spawn(process.execPath, [cli, ...args], {
      cwd,
      env,
      name: 'xterm-256color',
      ...size,
    })
    let text = ''
    terminal.onData((data) => {
      text += data
    })
    terminal.onExit(({ exitCode }) => resolve({ code: exitCode, text }))
  })
}
