/** The user's own terminal: keys in, bytes out, its size. Captured before anything is patched. */
const { stdin, stdout } = process
const realProcess = process

export const stdinIsTerminal: () => boolean = () => stdin.isTTY === true
export const stdoutIsTerminal: () => boolean = () => stdout.isTTY === true

export function terminalSize(): { rows: number; cols: number } | null {
  return stdout.isTTY ? { rows: stdout.rows, cols: stdout.columns } : null
}

/**
 * Resolves when the terminal, or another reader of our output, can take more. A reader that has gone is no
 * error: the session goes on.
 */
export function writeStdout(bytes: Uint8Array): Promise<void> {
  return new Promise((resolve) => void stdout.write(bytes, () => resolve()))
}

/** Raw keys, until disposed; the terminal gets its modes back whatever happens. */
export function attachKeyboard(onKeys: (bytes: Uint8Array) => void, onEnd: () => void): Disposable {
  const isTerminal = stdin.isTTY === true
  const restore = (): void => {
    if (isTerminal) stdin.setRawMode(false)
  }
  if (isTerminal) stdin.setRawMode(true)
  stdin.on('data', onKeys)
  stdin.on('end', onEnd)
  stdin.resume()
  realProcess.on('exit', restore)
  return {
    [Symbol.dispose]() {
      restore()
      realProcess.off('exit', restore)
      stdin.off('data', onKeys)
      stdin.off('end', onEnd)
      stdin.pause()
      // A pipe that is still open would keep the process alive.
      stdin.unref?.()
    },
  }
}

export function onTerminalResize(listener: () => void): Disposable {
  stdout.on('resize', listener)
  return { [Symbol.dispose]: () => void stdout.off('resize', listener) }
}

/** Ctrl-C and the like, sent to us: until disposed they end nothing by themselves. */
export function onTermination(listener: () => void): Disposable {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  for (const signal of signals) realProcess.on(signal, listener)
  return {
    [Symbol.dispose]() {
      for (const signal of signals) realProcess.off(signal, listener)
    },
  }
}
