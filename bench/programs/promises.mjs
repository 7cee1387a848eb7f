/**
 * A program that does little but await: as parsers, queues and agents' own layers do. It waits for a timer and
 * reads a file first, as every agent does: from then on the recorder is at work.
 */
import { readFile } from 'node:fs/promises'
import { setTimeout } from 'node:timers/promises'

await setTimeout(1)
await readFile(new URL(import.meta.url))
const step = async (n) => n + 1
const layer = async (n) => (await step(n)) + (await step(n))
let sum = 0
for (let n = 0; n < Number(process.argv[2]); n += 1) sum += await layer(n)
if (sum === 0) throw new Error('nothing was awaited')
