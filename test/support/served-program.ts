/**
 * Records a server through the built command line, with a client outside. The program prints `PORT <number>`
 * (or `PATH <path>`) and its pid on stderr when it listens; the client then does its part, and the program
 * ends by itself or by a signal.
 */
import { spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type RecordedProgram, replayable } from './recorded-program.ts'
import type { ChildRun } from './run-child.ts'
import { tempFolder } from './temp-folder.ts'

const bin = fileURLToPath(new URL('../../bin/reprise.js', import.meta.url))

export type ServedBy = { readonly port: number; readonly pid: number; readonly folder: string }

export type ServedOptions = {
  readonly env?: Readonly<Record<string, string>>
  readonly name?: string
  readonly files?: Readonly<Record<string, string | Buffer>>
  readonly node?: string
  /** Where packages are found; else nothing but Node is there. */
  readonly folder?: string
}

export async function recordServer(
  source: string,
  client: (served: ServedBy) => Promise<unknown>,
  { env = {}, name = 'server.mjs', files = {}, node = process.execPath, folder: given }: ServedOptions = {},
): Promise<RecordedProgram> {
  const folder = given ?? join(tempFolder(), 'program')
  mkdirSync(folder, { recursive: true })
  const script = join(folder, name)
  const tape = join(folder, `${name}.tape`)
  for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text)
  writeFileSync(script, source)
  const child = spawn(node, [bin, 'record', '--quiet', '--force', '--out', tape, '--', node, name], {
    cwd: folder,
    env: { ...process.env, ...env },
  })
  const ended = endOf(child)
  const { port, pid } = await announced(child, ended)
  await client({ port, pid, folder })
  return replayable({ folder, tape, script, recorded: await ended })
}

type Child = ReturnType<typeof spawn>

function endOf(child: Child): Promise<ChildRun> {
  const out: Buffer[] = []
  const err: Buffer[] = []
  child.stdout?.on('data', (bytes: Buffer) => out.push(bytes))
  child.stderr?.on('data', (bytes: Buffer) => err.push(bytes))
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code, signal) =>
      resolve({
        code,
        signal,
        stdout: Buffer.concat(out).toString('utf8'),
        stderr: Buffer.concat(err).toString('utf8'),
      }),
    )
  })
}

function announced(child: Child, ended: Promise<ChildRun>): Promise<{ port: number; pid: number }> {
  let text = ''
  return new Promise((resolve, reject) => {
    child.stderr?.on('data', (bytes: Buffer) => {
      text += bytes.toString('utf8')
      const found = /^PORT (\d+) PID (\d+)$/m.exec(text)
      if (found !== null) resolve({ port: Number(found[1]), pid: Number(found[2]) })
    })
    void ended.then(({ code, stderr }) => reject(new Error(`ended before it listened: ${code} ${stderr}`)))
  })
}
