/** The reference servers, listening on a port of their own until they are stopped. */
import { type ChildProcess, spawn } from 'node:child_process'
import { createServer } from 'node:net'
import { fileURLToPath } from 'node:url'

export const everything = fileURLToPath(
  new URL('../../../node_modules/@modelcontextprotocol/server-everything/dist/index.js', import.meta.url),
)
export const filesystem = fileURLToPath(
  new URL('../../../node_modules/@modelcontextprotocol/server-filesystem/dist/index.js', import.meta.url),
)

const bridge = fileURLToPath(new URL('./filesystem-bridge.mjs', import.meta.url))

export async function startEverything(
  transport: 'sse' | 'streamableHttp',
): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const port = await freePort()
  const child = spawn(process.execPath, [everything, transport], {
    env: { ...process.env, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  await waitUntilListening(child)
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  return {
    url: `http://127.0.0.1:${port}${transport === 'sse' ? '/sse' : '/mcp'}`,
    async stop() {
      child.kill('SIGKILL')
      await ended
    },
  }
}

/** The file system server behind a bridge to streamable HTTP, in a process group of its own. */
export async function startFilesystem(
  folder: string,
): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const child = spawn(process.execPath, [bridge, filesystem, folder], {
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  const port = await waitUntilListening(child)
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    async stop() {
      process.kill(-(child.pid ?? 0), 'SIGKILL')
      await ended
    },
  }
}

/** The port that it names. */
function waitUntilListening(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    let said = ''
    const hear = (chunk: Buffer): void => {
      said += chunk
      const port = /on port (\d+)/.exec(said)?.[1]
      if (port !== undefined) resolve(Number(port))
    }
    child.stdout?.on('data', hear)
    child.stderr?.on('data', hear)
    child.once('close', () => reject(new Error(`the server ended: ${said}`)))
  })
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0))
    })
  })
}
