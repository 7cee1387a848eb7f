/** Lines of this process's standard input, one at a time. */
import { createInterface } from 'node:readline'

export type InputLines = {
  /** The next line; null at the end of the input. */
  next(): Promise<string | null>
  close(): void
}

export function readInputLines(): InputLines {
  const lines = createInterface({ input: process.stdin, terminal: false })
  const iterator = lines[Symbol.asyncIterator]()
  return {
    async next() {
      const { value, done } = await iterator.next()
      return done === true ? null : value
    },
    close() {
      lines.close()
      // An open stdin would keep the process alive.
      process.stdin.unref?.()
    },
  }
}
