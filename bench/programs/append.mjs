/** Writes a log of so many lines, as agents do: by `appendFile`, or by a stream for each line. */
import { appendFileSync, createWriteStream, rmSync } from 'node:fs'

const [lines, how = 'call'] = process.argv.slice(2)
rmSync('log.txt', { force: true })
for (let n = 0; n < Number(lines); n += 1) {
  const line = `${JSON.stringify({ n, role: 'assistant', text: 'a line of the transcript' })}\n`
  if (how === 'call') appendFileSync('log.txt', line)
  else
    await new Promise((resolve) =>
      createWriteStream('log.txt', { flags: 'a' }).end(line).on('close', resolve),
    )
}
