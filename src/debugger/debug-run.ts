/**
 * One debugged replay: starts the program under the inspector, attaches to it, and can start it again to go
 * back. Every start is a fresh replay of the same tape.
 */
import { RepriseError } from '../errors/index.ts'
import { realSetTimeout } from '../real/clock.ts'
import { listenOnLoopback, readFromLoopback } from '../real/loopback-server.ts'
import { attachTo, type DebuggedProgram, type Stop } from './debugged-program.ts'

/** Starts the program with the given arguments of Node in front of its own. */
export type StartProgram<R> = (nodeArguments: readonly string[], stopAt: number | null) => StartedProgram<R>

type StartedProgram<R> = {
  /** The program has ended and was judged. Rejects if it never started. */
  readonly result: Promise<R>
  kill(): void
}

export type DebugRun<R> = {
  readonly program: DebuggedProgram
  /** Of the process's own inspector. */
  readonly url: string
  readonly result: Promise<R>
  kill(): void
}

const LOOK_EVERY_MS = 20

export async function startDebugRun<R>(start: StartProgram<R>, stopAt: number | null): Promise<DebugRun<R>> {
  const port = await freePort()
  const started = start([`--inspect-wait=127.0.0.1:${port}`, '--inspect-publish-uid=http'], stopAt)
  let isOver = false
  const over = started.result.then(
    () => {
      isOver = true
    },
    () => {
      isOver = true
    },
  )
  for (;;) {
    const url = socketUrl(await readFromLoopback(port, '/json/list'))
    if (url !== null)
      return { program: await attachTo(url), url, result: started.result, kill: () => started.kill() }
    if (isOver) {
      // Its own failure is more useful than the missing inspector.
      await started.result
      throw new RepriseError('debug-no-inspector', 'the program ended before its inspector answered', {
        hint: 'is the command a Node program?',
      })
    }
    await Promise.race([over, new Promise((resolve) => realSetTimeout(resolve, LOOK_EVERY_MS))])
  }
}

/** What the user reads about a stop. */
export function describeStop({ record, frames }: Stop, wanted: number | null): string {
  const frame = frames.find(({ isUser }) => isUser) ?? frames[0]
  const place =
    frame === undefined
      ? 'in no frame'
      : `${frame.url}:${frame.line + 1}:${frame.column + 1} ${frame.functionName}`
  const later =
    wanted !== null && record > wanted ? ` (no statement ran between record ${wanted} and this one)` : ''
  return `paused after record ${record}${later} at ${place.trim()}`
}

/** Another program may take it before the inspector does: then the inspector fails, and so does the start. */
async function freePort(): Promise<number> {
  const server = await listenOnLoopback((_request, response) => void response.end())
  const { port } = server
  await server.close()
  return port
}

function socketUrl(text: string | null): string | null {
  const found = text === null ? null : /"webSocketDebuggerUrl":\s*"(ws:\/\/127\.0\.0\.1:[^"]+)"/.exec(text)
  return found?.[1] ?? null
}
