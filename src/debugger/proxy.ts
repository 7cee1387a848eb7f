/**
 * The address that a debugger's front end connects to (DevTools, VS Code). Passes the protocol on to the
 * debugged process and marks what a person evaluates, so that it neither consumes nor changes the run. When
 * the program is started again it connects the clients to the new process and sets their breakpoints again.
 *
 * Listens on loopback only. A page of a browser is refused by its Origin and its Host.
 */
import { WebSocket, WebSocketServer } from 'ws'
import { isObject, objectsOf, textOf } from '../base/index.ts'
import { type IncomingMessage, listenOnLoopback } from '../real/loopback-server.ts'
import { realRandomBytes } from '../real/random.ts'
import type { DebuggedProgram } from './debugged-program.ts'
import { type ClientMessage, messageKind, readMessage } from './evaluations.ts'
import { SKIPPED_PATTERNS } from './user-code.ts'

export type DebugProxy = {
  readonly port: number
  /** For `ws=` in the address of DevTools. */
  readonly address: string
  /** The process that clients talk to from now on. */
  connect(program: DebuggedProgram, url: string): void
  close(): Promise<void>
}

/** Messages that set up a session, sent again to a new process in this order. */
const KEPT: readonly RegExp[] = [/\.enable$/, /\.set(?!VariableValue|ReturnValue|ScriptSource)/]

const OWN_ID = 2_000_000_000
const SKIP = JSON.stringify({
  id: OWN_ID,
  method: 'Debugger.setBlackboxPatterns',
  params: { patterns: SKIPPED_PATTERNS },
})

type Client = {
  readonly socket: WebSocket
  upstream: WebSocket | null
  /** Resolves when `upstream` is open, or failed. */
  opened: Promise<void>
  /** Evaluations run one after the other. */
  evaluations: Promise<void>
  readonly kept: string[]
}

export async function startProxy(title: string): Promise<DebugProxy> {
  const id = Buffer.from(realRandomBytes(16)).toString('hex')
  const clients = new Set<Client>()
  let target: { readonly program: DebuggedProgram; readonly url: string } | null = null
  const http = await listenOnLoopback(
    (request, response) => {
      const list = ['/json', '/json/list'].includes(request.url ?? '')
      if (!isLocal(request, http.port) || !(list || request.url === '/json/version')) {
        response.writeHead(404).end()
        return
      }
      const body = list
        ? [{ id, title, type: 'node', webSocketDebuggerUrl: `ws://127.0.0.1:${http.port}/${id}` }]
        : { Browser: 'reprise', 'Protocol-Version': '1.3' }
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    },
    (request, socket, head) => {
      if (!isLocal(request, http.port) || request.url !== `/${id}`) socket.destroy()
      else sockets.handleUpgrade(request, socket, head, welcome)
    },
  )
  const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false })

  const welcome = (socket: WebSocket): void => {
    const client: Client = {
      socket,
      upstream: null,
      opened: Promise.resolve(),
      evaluations: Promise.resolve(),
      kept: [],
    }
    clients.add(client)
    socket.on('message', (data) => {
      const text = String(data)
      void client.opened.then(() => pass(client, text))
    })
    socket.on('close', () => {
      clients.delete(client)
      client.upstream?.close()
    })
    open(client)
  }

  const isOwnStep = (scriptId: string | null): boolean =>
    scriptId !== null && target?.program.isOwnStep(scriptId) === true

  /** Connects a client to the current process, and repeats what it had set up. */
  const open = (client: Client): void => {
    client.upstream?.removeAllListeners('message')
    client.upstream?.close()
    if (target === null) return
    const upstream = new WebSocket(target.url, { perMessageDeflate: false })
    client.upstream = upstream
    client.opened = opened(upstream)
    let left = client.kept.length
    upstream.on('open', () => {
      for (const text of client.kept) upstream.send(text)
      if (client.kept.some((text) => text.includes('"Debugger.enable"'))) upstream.send(SKIP)
    })
    upstream.on('message', (data) => {
      const text = String(data)
      // The client has its answers to these already, and does not know of ours.
      if (text.startsWith(`{"id":${OWN_ID},`)) return
      if (left > 0 && /^\{"id":/.test(text)) left -= 1
      else if (!isOwnStep(pausedIn(text))) client.socket.send(text)
    })
    upstream.on('error', () => upstream.terminate())
  }

  const pass = async (client: Client, text: string): Promise<void> => {
    const message = readMessage(text)
    const { upstream } = client
    if (message === null || upstream === null) return
    if (KEPT.some((pattern) => pattern.test(message.method))) client.kept.push(text)
    if (message.method === 'Debugger.removeBreakpoint') forget(client, textOf(message.params.breakpointId))
    const program = target?.program
    if (program === undefined) return
    switch (messageKind(message.method, message.params)) {
      case 'other':
        upstream.send(message.method === 'Debugger.setBlackboxPatterns' ? withOurPatterns(message) : text)
        if (message.method === 'Debugger.enable') upstream.send(SKIP)
        return
      case 'resume':
        await program.setEvaluating(false)
        upstream.send(text)
        return
      case 'change':
        await program.markChanged()
        evaluateNext(client, program, message.id, text)
        return
      case 'evaluate':
        evaluateNext(client, program, message.id, text)
        return
    }
  }

  return {
    get port() {
      return http.port
    },
    get address() {
      return `127.0.0.1:${http.port}/${id}`
    },
    connect(program, url) {
      target = { program, url }
      // Node waits for every debugger before it exits.
      void program.client.closed.then(() => {
        for (const { upstream } of clients) if (upstream?.url === url) upstream.close()
      })
      for (const client of clients) {
        client.socket.send('{"method":"Runtime.executionContextsCleared","params":{}}')
        open(client)
      }
    },
    async close() {
      for (const { socket, upstream } of clients) {
        upstream?.terminate()
        socket.terminate()
      }
      sockets.close()
      await http.close()
    },
  }
}

/** V8 skips a script only where every session skips it: a client must skip what we skip. */
function withOurPatterns({ id, method, params }: ClientMessage): string {
  const patterns = Array.isArray(params.patterns) ? params.patterns : []
  return JSON.stringify({ id, method, params: { ...params, patterns: [...SKIPPED_PATTERNS, ...patterns] } })
}

function evaluateNext(client: Client, program: DebuggedProgram, id: number, text: string): void {
  client.evaluations = client.evaluations.then(() => evaluate(client, program, id, text))
}

/**
 * Runs code of the client with the mark set. Only while the program is paused: otherwise its own code could
 * run with the mark.
 */
async function evaluate(
  { socket, upstream }: Client,
  program: DebuggedProgram,
  id: number,
  text: string,
): Promise<void> {
  if (upstream === null) return
  if ((await program.current()) === null) {
    const exceptionDetails = { text: 'pause the program before you evaluate', exceptionId: 0 }
    const result = {
      result: { type: 'undefined' },
      exceptionDetails: { ...exceptionDetails, lineNumber: 0, columnNumber: 0 },
    }
    socket.send(JSON.stringify({ id, result }))
    return
  }
  await program.setEvaluating(true)
  upstream.send(text)
  await answered(upstream, id)
  await program.setEvaluating(false)
}

/**
 * A promise that is awaited settles only when the program goes on: the client resumes with another message.
 */
function answered(upstream: WebSocket, id: number): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      upstream.off('message', onMessage)
      upstream.off('close', done)
      resolve()
    }
    const onMessage = (data: unknown): void => {
      if (String(data).startsWith(`{"id":${id},`)) done()
    }
    upstream.on('message', onMessage)
    upstream.on('close', done)
  })
}

/** The script in which the program is paused; null for any other message. */
function pausedIn(text: string): string | null {
  if (!text.startsWith('{"method":"Debugger.paused"')) return null
  const message: unknown = JSON.parse(text)
  const params = isObject(message) && isObject(message.params) ? message.params : {}
  const [top] = objectsOf(params.callFrames)
  return isObject(top?.location) ? textOf(top.location.scriptId) : null
}

function opened(upstream: WebSocket): Promise<void> {
  return new Promise((resolve) => {
    upstream.once('open', () => resolve())
    upstream.once('close', () => resolve())
  })
}

function forget(client: Client, breakpoint: string | null): void {
  if (breakpoint === null) return
  // `1:12:0:file:///agent.mjs` names line and file of the breakpoint that was set.
  const [, line, , ...url] = breakpoint.split(':')
  const at = client.kept.findIndex(
    (text) =>
      text.includes('setBreakpointByUrl') &&
      text.includes(`"lineNumber":${line}`) &&
      text.includes(url.join(':')),
  )
  if (at >= 0) client.kept.splice(at, 1)
}

function isLocal({ headers }: IncomingMessage, port: number): boolean {
  const { host, origin } = headers
  const isHost = host === `127.0.0.1:${port}` || host === `localhost:${port}`
  return isHost && (origin === undefined || /^(devtools|vscode-[\w-]+):\/\//.test(origin))
}
