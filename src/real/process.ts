/** Facts and streams of this process, captured before anything is patched. */
import os from 'node:os'

const realProcess = process
const { tmpdir, homedir } = os
const cwd = realProcess.cwd.bind(realProcess)

export const realEnv: NodeJS.ProcessEnv = realProcess.env
export const realCwd: () => string = () => cwd()
export const realPid: number = realProcess.pid
/** Null on a system without users. */
export const realUid: number | null = realProcess.getuid?.() ?? null
export const realTmpdir: () => string = () => tmpdir()
export const realHomedir: () => string = () => homedir()
export const onExit = (listener: () => void): Disposable => {
  realProcess.on('exit', listener)
  return {
    [Symbol.dispose]() {
      // A program may freeze `process`: the listener stays, and `off` would throw.
      if (!Object.isFrozen(realProcess)) realProcess.off('exit', listener)
    },
  }
}
export const emitWarning: (
  message: string,
  options: { readonly type: string; readonly code: string },
) => void = (message, options) => realProcess.emitWarning(message, options)
export const stdinIsTerminal: () => boolean = () => realProcess.stdin.isTTY === true
export const readStdin = async (): Promise<Uint8Array> => {
  const chunks: Uint8Array[] = []
  for await (const chunk of realProcess.stdin)
    chunks.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk)
  return Buffer.concat(chunks)
}
