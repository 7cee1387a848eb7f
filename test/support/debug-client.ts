/**
 * `reprise debug` as a person uses it: the command with its prompt, and a client of the debugger protocol over
 * a WebSocket.
 */
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { WebSocket } from 'ws'

const bin = fileURLToPath(new URL('../../bin/reprise.js', import.meta.url))

export type Debugged = {
  readonly stdout: () => string
  readonly stderr: () => string
  /** The next line of stderr that contains one of the texts. */
  line(...texts: string[]): Promise<string>
  type(command: string): void
  /** As a terminal does for Ctrl-C: to the command and to the program. */
  interrupt(): void
  readonly exit: Promise<number | null>
}

export type DebugTarget = { readonly folder: string; readonly tape: string; readonly node?: string }

export function debug(
  { folder, tape, node = process.execPath }: DebugTarget,
  ...options: string[]
): Debugged {
  const child = spawn(node, [bin, 'debug', tape, ...options], { cwd: folder, detached: true })
  const group = -(child.pid ?? 0)
  let isOver = false
  onTestFinished(() => {
    if (!isOver) process.kill(group, 'SIGKILL')
  })
  let [out, err, from] = ['', '', 0]
  const waiting = new Set<() => void>()
  child.stdout.on('data', (data) => {
    out += String(data)
  })
  child.stderr.on('data', (data) => {
    err += String(data)
    for (const look of waiting) look()
  })
  const exit = new Promise<number | null>((resolve) => {
    child.on('close', (code) => {
      isOver = true
      resolve(code)
    })
  })
  return {
    stdout: () => out,
    stderr: () => err,
    exit,
    type: (command) => void child.stdin.write(`${command}\n`),
    interrupt: () => void process.kill(group, 'SIGINT'),
    line: (...texts) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const found = texts.map((text) => err.indexOf(text, from)).filter((at) => at >= 0)
          const at = Math.min(...found)
          const end = err.indexOf('\n', at)
          if (found.length === 0 || end < 0) return
          from = end
          waiting.delete(look)
          resolve(err.slice(err.lastIndexOf('\n', at) + 1, end))
        }
        waiting.add(look)
        look()
        void exit.then(() => {
          look()
          reject(new Error(`no line with ${texts.join(' or ')} in ${err}`))
        })
      }),
  }
}

export type PausedParams = {
  readonly callFrames: readonly {
    readonly callFrameId: string
    readonly functionName: string
    readonly url: string
    readonly location: { readonly lineNumber: number }
    readonly scopeChain: readonly { readonly type: string; readonly object: { readonly objectId: string } }[]
  }[]
}

export type DebugClient = {
  send(method: string, params?: object): Promise<Record<string, unknown>>
  /** What V8 has parsed. */
  scripts(): readonly { readonly url: string; readonly scriptId: string }[]
  /** The next pause that was not asked for yet. */
  paused(): Promise<PausedParams>
  /** Runs code in the top frame of a pause; the value, or the code or message of what it threw. */
  evaluate(at: PausedParams, expression: string): Promise<unknown>
  close(): void
}

/** `line` is the one of `reprise debug` with the address of DevTools. */
export async function connectDebugger(line: string): Promise<DebugClient> {
  const socket = new WebSocket(`ws://${/ws=(\S+)/.exec(line)?.[1]}`)
  const answers = new Map<number, (message: Record<string, unknown>) => void>()
  const pauses: PausedParams[] = []
  const scripts: { url: string; scriptId: string }[] = []
  const waiting: ((params: PausedParams) => void)[] = []
  socket.on('message', (data) => {
    const message = JSON.parse(String(data))
    if (typeof message.id === 'number') answers.get(message.id)?.(message.result ?? message)
    if (message.method === 'Debugger.scriptParsed') scripts.push(message.params)
    if (message.method !== 'Debugger.paused') return
    const next = waiting.shift()
    if (next === undefined) pauses.push(message.params)
    else next(message.params)
  })
  await new Promise((resolve, reject) => {
    socket.once('open', resolve)
    socket.once('error', reject)
  })
  let id = 0
  const send = (method: string, params: object = {}): Promise<Record<string, unknown>> => {
    id += 1
    const mine = id
    socket.send(JSON.stringify({ id: mine, method, params }))
    return new Promise((resolve) => answers.set(mine, resolve))
  }
  return {
    send,
    scripts: () => scripts,
    paused: () =>
      new Promise((resolve) => {
        const known = pauses.shift()
        if (known === undefined) waiting.push(resolve)
        else resolve(known)
      }),
    async evaluate({ callFrames }, expression) {
      const callFrameId = callFrames[0]?.callFrameId
      const answer = await send('Debugger.evaluateOnCallFrame', {
        callFrameId,
        expression,
        returnByValue: true,
      })
      return evaluatedValue(answer)
    },
    close: () => socket.close(),
  }
}

/** The value of an evaluation; the description of what it threw. */
export function evaluatedValue({ result, exceptionDetails }: Record<string, unknown>): unknown {
  const thrown = exceptionDetails as { exception?: { description?: string } } | undefined
  if (thrown !== undefined) return thrown.exception?.description ?? thrown
  return (result as { value?: unknown } | undefined)?.value
}
