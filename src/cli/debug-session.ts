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
  /** The number of the tape's last record. */
  readonly lastRecord: () => number
  /** The record at which a run left its tape; null to let a run end that stopped nowhere. */
  readonly divergedAt: ((result: R) => number | null) | null
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
  lastRecord,
  divergedAt,
  vscode,
  output,
}: DebugOptions<R>): Promise<R | null> {
  const proxy = await startProxy(title)
  const lines = readInputLines()
  const running = { kill: (): void => undefined }
  let isInterrupted = false
  let stop: Stop | null = null
  const interrupted = new Promise<Event>((resolve) => {
    const onInterrupt = (): void => {
      isInterrupted = true
      // Also a program that runs, and waits for nothing of ours.
      running.kill()
      resolve({ type: 'quit' })
    }
    process.once('SIGINT', onInterrupt)
    process.once('SIGTERM', onInterrupt)
  })

  /** A fresh replay, paused before the program's first statement. */
  const begin = async (seq: number | null): Promise<DebugRun<R>> => {
    running.kill()
    const next = await startDebugRun((nodeArguments, at) => {
      const started = start(nodeArguments, at)
      running.kill = () => started.kill()
      return started
    }, seq)
    proxy.connect(next.program, next.url)
    return next
  }
  const runTo = async (current: DebugRun<R>, wanted: number | null): Promise<Stop | null> => {
    const reached = await current.program.resume()
    note(reached, wanted)
    return reached
  }
  const note = (reached: Stop | null, wanted: number | null): void => {
    if (isInterrupted) return
    output.note(reached === null ? 'the program has ended' : describeStop(reached, wanted))
  }

  try {
    let current = await begin(stopAt)
    /**
     * Fresh replays, until one stops before record `seq`. Records that come together have one stop: then the
     * stop before it is further back.
     */
    const stopBefore = async (seq: number): Promise<Stop | null> => {
      for (let by = 1; ; by *= 2) {
        const at = Math.max(seq - by, 0)
        current = await begin(at)
        const reached = await current.program.resume()
        if (isInterrupted || at === 0 || (reached !== null && reached.record < seq)) return reached
      }
    }
    greet(proxy, vscode, output)
    stop = await runTo(current, stopAt)
    // An error that nothing catches ends the program before another of its statements runs.
    const leftAt = stop === null && divergedAt !== null ? divergedAt(await current.result) : null
    if (leftAt !== null && !isInterrupted) {
      output.note(`it left its tape at record ${leftAt}: replaying to the last stop before that`)
      stop = await stopBefore(leftAt)
      note(stop, null)
    }
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
          if (command.seq > lastRecord()) {
            output.note(`the tape has no record ${command.seq}; its last is ${lastRecord()}`)
            break
          }
          if (command.seq <= here.record) current = await begin(command.seq)
          else await current.program.stopAt(command.seq)
          stop = await runTo(current, command.seq)
          break
        case 'back':
          stop = await stopBefore(here.record)
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
    return isInterrupted ? null : await current.result
  } catch (error) {
    // A run that was killed while it started has no inspector.
    if (isInterrupted) return null
    throw error
  } finally {
    lines.close()
    running.kill()
    await proxy.close()
  }
}

function greet(proxy: DebugProxy, vscode: boolean, output: Output): void {
  output.note(
    `DevTools: devtools://devtools/bundled/js_app.html?experiments=true&v8only=true&ws=${proxy.address}`,
  )
  if (vscode) output.note(`VS Code: wrote ${writeLaunch(realCwd(), proxy.port)}`)
  else output.note(`VS Code: ${JSON.stringify(launchConfiguration(proxy.port))}`)
  output.note('commands: where, next-record, goto SEQ, back, continue, quit, help')
}
