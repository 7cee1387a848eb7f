/** Starts the programs in workers/ with the Node that a root needs: `node:sqlite` is only in a newer one. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

export function startWorker(
  name: string,
  words: readonly string[],
  node = process.execPath,
  env: Readonly<Record<string, string>> = {},
): ChildProcess {
  const file = fileURLToPath(new URL(`./workers/${name}.mjs`, import.meta.url))
  return spawn(node, [file, ...words], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
  })
}

export async function firstLine(worker: ChildProcess): Promise<string> {
  if (worker.stdout === null) throw new Error('no stdout')
  const gone = once(worker, 'exit').then(([code, signal]) =>
    Promise.reject(new Error(`the worker ended before its first line: ${code ?? signal}`)),
  )
  gone.catch(() => undefined)
  const [line] = await Promise.race([once(createInterface(worker.stdout), 'line'), gone])
  return line
}

export async function ended(
  worker: ChildProcess,
): Promise<{ code: number | null; signal: NodeJS.Signals | null }> {
  const [code, signal] =
    worker.exitCode === null && worker.signalCode === null
      ? await once(worker, 'exit')
      : [worker.exitCode, worker.signalCode]
  return { code, signal }
}
