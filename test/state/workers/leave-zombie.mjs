/** Leaves a child that has ended unreaped, and prints its pid: the shell becomes a program that never asks for it. */
import { spawn } from 'node:child_process'

const shell = spawn('sh', ['-c', 'true & echo $!; exec sleep 60'], { stdio: ['ignore', 'pipe', 'inherit'] })
process.on('exit', () => shell.kill('SIGKILL'))
process.on('SIGTERM', () => process.exit())
let text = ''
for await (const chunk of shell.stdout) {
  text += chunk
  if (text.includes('\n')) break
}
const { readFileSync } = await import('node:fs')
const pid = text.trim()
// Until it is a zombie: it has only to end.
while (!/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8')));
process.stdout.write(`${pid}\n`)
setInterval(() => undefined, 1000)
