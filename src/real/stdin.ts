/**
 * Standard input, captured before anything is patched. Node creates the stream on first access; so
 * does this.
 */
import process from 'node:process'
import { isatty } from 'node:tty'

export type RealStdin = NodeJS.ReadStream

const getter = Object.getOwnPropertyDescriptor(process, 'stdin')?.get

export const stdinOwner: object = process

export function realStdin(): RealStdin {
  return getter === undefined ? process.stdin : getter.call(process)
}

/** Known without making the stream. */
export const stdinIsTty: () => boolean = () => isatty(0)
