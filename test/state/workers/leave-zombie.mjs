/**
 * Starts a child and prints its pid. Whoever stops this process and kills the child has a zombie: nobody is
 * left to ask for it.
 */
import { spawn } from 'node:child_process'

const child = spawn('sleep', ['60'], { stdio: 'ignore' })
process.stdout.write(`${child.pid}\n`)
