/** Writes a log of so many lines, as agents do. */
import { appendFileSync, rmSync } from 'node:fs'

rmSync('log.txt', { force: true })
for (let n = 0; n < Number(process.argv[2]); n += 1)
  appendFileSync('log.txt', `${JSON.stringify({ n, role: 'assistant', text: 'a line of the transcript' })}\n`)
