/**
 * `reprise debug` from start to end: the proxy for a debugger's front end, the prompt, and the replays that
 * they drive. All output goes to stderr: stdout belongs to the program.
 */
import { type DebugRun, describeStop, type StartProgram, startDebugRun } from '../debugger/debug-run.ts'
import type { Stop } from '../debugger/debugged-program.ts'
import { PROMPT_HELP, readCommand, stackLines } from '../debugger/prompt.ts'
import { type DebugProxy, startProxy } from '../debugger/proxy.ts'
import { launchConfiguration, writeLaunch } from '../debugger/vscode-launch.ts'
import { readInputLines } from '../real/input-lines.ts'
import { realCwd } from '../real/process.ts'
import type { Output } from './output.ts'

export type DebugOptions<R> = {
  readonly title: string
  readonly start: StartProgram<R>
  readonly stopAt: number | null
  readonly vscode: boolean
  readonly output: Output
}

type Event =
  | { readonly type: 'ended' }
  | { readonly type: 'quit' }
  | { readonly type: 'no more commands' }
  | { readonly type: 'command'; readonly text: string }

/** The result of the last replay; null if the user quit before its end. */
export async function debugSession<R>({
  title,
  start,
  stopAt,
  vscode,
  output,
}: DebugOptions<R>): Promise<R | null> {
  const proxy = await startProxy(title)
  const lines = readInputLines()
  const runs: DebugRun<R>[] = []
  let stop: Stop | null = null
  const interrupted = new Promise<Event>((resolve) => {
    const onInterrupt = (): void => resolve({ type: 'quit' })
    process.once('SIGINT', onInterrupt)
    process.once('SIGTERM', onInterrupt)
  })

  /** A fresh replay, paused before the program's first statement. */
  const begin = async (seq: number | null): Promise<DebugRun<R>> => {
    runs.pop()?.kill()
    const next = await startDebugRun(start, seq)
    runs.push(next)
    proxy.connect(next.program, next.url)
    return next
  }
  const runTo = async (current: DebugRun<R>, wanted: number | null): Promise<Stop | null> => {
    const reached = await current.program.resume()
    note(reached, wanted)
    return reached
  }
  const note = (reached: Stop | null, wanted: number | null): void =>
    output.note(reached === null ? 'the program has ended' : describeStop(reached, wanted))

  try {
    let current = await begin(stopAt)
    greet(proxy, vscode, output)
    stop = await runTo(current, stopAt)
    let isOpen = true
    while (stop !== null) {
      const typed: Promise<Event> = isOpen
        ? lines
            .next()
            .then((text) => (text === null ? { type: 'no more commands' } : { type: 'command', text }))
        : new Promise(() => undefined)
      const ended: Promise<Event> = current.result.then(() => ({ type: 'ended' }))
      const event = await Promise.race([typed, ended, interrupted])
      if (event.type === 'ended') break
      if (event.type === 'quit') return null
      if (event.type === 'no more commands') {
        // Without a prompt a front end drives the program to its end.
        isOpen = false
        continue
      }
      const command = readCommand(event.text)
      const here = (await current.program.current()) ?? stop
      switch (command.type) {
        case 'where':
          output.note(describeStop(here, null))
          for (const text of stackLines(here)) output.note(text)
          break
        case 'next-record':
          await current.program.stopAt(here.record + 1)
          stop = await runTo(current, here.record + 1)
          break
        case 'continue':
          stop = await runTo(current, null)
          break
        case 'goto':
          if (command.seq <= here.record) current = await begin(command.seq)
          else await current.program.stopAt(command.seq)
          stop = await runTo(current, command.seq)
          break
        case 'back':
          // Records that come together have one stop: then the stop before it is further back.
          for (let by = 1; ; by *= 2) {
            const seq = Math.max(here.record - by, 0)
            current = await begin(seq)
            stop = await current.program.resume()
            if (stop === null || stop.record < here.record || seq === 0) break
          }
          note(stop, null)
          break
        case 'quit':
          return null
        case 'help':
          for (const text of PROMPT_HELP) output.note(text)
          break
        case 'unknown':
          output.note(command.text)
          break
      }
    }
    return await current.result
  } finally {
    lines.close()
    runs.pop()?.kill()
    await proxy.close()
  }
}

function greet(proxy: DebugProxy, vscode: boolean, output: Output): void {
  output.note(
    `DevTools: devtools://devtools/bundled/js_app.html?experiments=true&v8only=true&ws=${proxy.address}`,
  )
  if (vscode) output.note(`VS Code: wrote ${writeLaunch(realCwd(), proxy.port)}`)
  else output.note(`VS Code: ${JSON.stringify(launchConfiguration(proxy.port))}`)
}
