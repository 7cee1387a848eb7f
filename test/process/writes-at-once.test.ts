/**
 * What a program writes to a subprocess is written on the spot, as without a recorder: also when the program
 * ends with that turn.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { recordProgram } from '../support/recorded-program.ts'
import { runChild } from '../support/run-child.ts'

test('every write of the last turn reaches the subprocess', async () => {
  const program = await recordProgram(`
    import { spawn } from 'node:child_process'
    const child = spawn('sh', ['-c', 'cat > out.part; mv out.part out.txt'], { stdio: ['pipe', 'ignore', 'ignore'] })
    for (const line of ['one', 'two', 'three']) child.stdin.write(line + '\\n')
    process.exit(0)`)
  const out = join(program.folder, 'out.txt')
  // The subprocess outlives the program, and is done when its input ends.
  await expect.poll(() => existsSync(out), { timeout: 10_000 }).toBe(true)
  expect(readFileSync(out, 'utf8')).toBe('one\ntwo\nthree\n')
  expect((await program.replay()).report.verdict).toBe('faithful')
})

test('callbacks, lengths and drains come as in plain Node', async () => {
  const program = await recordProgram(`
    import { spawn } from 'node:child_process'
    const child = spawn('cat', [], { stdio: ['pipe', 'pipe', 'inherit'] })
    const log = []
    child.stdin.on('drain', () => log.push('drain')).on('finish', () => log.push('finish'))
    log.push(child.stdin.write('a', () => log.push('told a')), child.stdin.writableLength)
    log.push(child.stdin.write('ü', 'utf8', () => log.push('told b')), child.stdin.bytesWritten)
    process.nextTick(() => log.push('tick'))
    Promise.resolve().then(() => log.push('microtask'))
    child.stdin.cork(); child.stdin.write('x'); child.stdin.write(Buffer.from('y')); child.stdin.uncork()
    log.push(child.stdin.write('z'.repeat(20000), 'latin1'), child.stdin.write('w'.repeat(20000)), child.stdin.bytesWritten, child.stdin.writableNeedDrain)
    let read = 0
    child.stdout.on('data', (data) => { read += data.length })
    setTimeout(() => child.stdin.end('end', () => log.push('told end')), 20)
    child.on('close', () => console.log(JSON.stringify(log), read, child.stdin.bytesWritten))`)
  const plain = await runChild(process.execPath, ['agent.mjs'], { cwd: program.folder })
  expect(program.recorded.stdout).toBe(plain.stdout)
  const replayed = await program.replay()
  expect(replayed.stdout).toBe(plain.stdout)
  expect(replayed.report.verdict).toBe('faithful')
})
