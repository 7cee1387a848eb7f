/** The reference server that does everything, listening on a port of its own until it is stopped. */
import { type ChildProcess, spawn } from 'node:child_process'
import { createServer } from 'node:net'
import { fileURLToPath } from 'node:url'

export const everything = fileURLToPath(new URL('../../../node_modules/@modelcontextprotocol/server-everything/dist/index.js', import.meta.url))
export const filesystem = fileURLToPath(new URL('../../../node_modules/@modelcontextprotocol/server-filesystem/dist/index.js', import.meta.url))

export async function startEverything(transport: 'sse' | 'streamableHttp'): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const port = await freePort()
  const child = spawn(process.execPath, [everything, transport], { env: { ...process.env, PORT: String(port) }, stdio: ['ignore', 'pipe', 'pipe'] })
  await saysThatItListens(child)
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  return {
    url: `http://127.0.0.1:${port}${transport === 'sse' ? '/sse' : '/mcp'}`,
    async stop() {
      child.kill('SIGKILL')
      await ended
    },
  }
}

function saysThatItListens(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let said = ''
    const hear = (chunk: Buffer): void => {
      said += chunk
      if (/on port \d+/.test(said)) resolve()
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
