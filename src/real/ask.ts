/** One question on the terminal, answered with a line. */
import { createInterface } from 'node:readline'

const { stdin, stderr } = process

export function askOnTerminal(question: string): Promise<string> {
  const lines = createInterface({ input: stdin, output: stderr })
  return new Promise((resolve) => {
    lines.once('close', () => resolve(''))
    lines.question(question, (answer) => {
      resolve(answer)
      lines.close()
    })
  })
}
