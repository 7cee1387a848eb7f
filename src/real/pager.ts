/** The user's pager on the terminal, for output of more than a screen. */
import { spawn } from 'node:child_process'

export type Pager = {
  write(text: string): Promise<void>
  /** Ends when the user leaves the pager. */
  close(): Promise<void>
}

/**
 * Null if there is no pager, or PAGER is empty. `less` gets flags to pass colours, to quit if the text fits
 * one screen, and to start no commands.
 */
export async function openPager(): Promise<Pager | null> {
  const command = process.env.PAGER ?? 'less'
  if (command === '') return null
  const env = { ...process.env, LESS: process.env.LESS ?? '-FRX', LESSSECURE: '1' }
  const child = spawn(command, {
    shell: process.env.PAGER !== undefined,
    stdio: ['pipe', 'inherit', 'inherit'],
    env,
  })
  const started = await new Promise<boolean>((resolve) => {
    child.once('spawn', () => resolve(true))
    child.once('error', () => resolve(false))
  })
  if (!started) return null
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  let open = true
  // The user may leave before everything was written.
  child.stdin.on('error', () => {
    open = false
  })
  return {
    async write(text) {
      if (!open || child.stdin.write(text)) return
      await Promise.race([ended, new Promise<void>((resolve) => child.stdin.once('drain', () => resolve()))])
    },
    async close() {
      child.stdin.end()
      await ended
    },
  }
}
