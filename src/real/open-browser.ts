/**
 * Opens an address in the user's browser. A machine without one is no error: the address is printed as well.
 */
import { spawn } from 'node:child_process'

const OPENERS: Readonly<Record<string, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  linux: ['xdg-open'],
  win32: ['cmd', '/c', 'start', ''],
}

export function openBrowser(url: string): void {
  const opener = OPENERS[process.platform]
  if (opener === undefined) return
  const [command, ...args] = opener
  const child = spawn(command, [...args, url], { stdio: 'ignore', detached: true })
  child.on('error', () => undefined)
  child.unref()
}
