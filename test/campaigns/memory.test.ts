/**
 * The peak of memory of recorded and replayed programs that move large content, as the operating system counts
 * it (the largest process of `reprise record` and `reprise replay`). Streams: a fixed bound, whatever the size.
 * Files that are read or written whole: the peak of the plain program and 220 MB.
 */
import { closeSync, createReadStream, openSync, statSync, writeFileSync, writeSync } from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { campaignSize, scaled } from '../support/campaign.ts'
import { runChild } from '../support/run-child.ts'
import { tempFolder } from '../support/temp-folder.ts'

const STREAMED_MB = scaled(500, 12)
const WHOLE_MB = scaled(100, 12)
const STREAM_BOUND_MB = 300
const WHOLE_SLACK_MB = 220

const bin = fileURLToPath(new URL('../../bin/reprise.js', import.meta.url))
const peak = fileURLToPath(new URL('../support/peak.py', import.meta.url))

type Row = {
  readonly name: string
  readonly megabytes: number
  readonly program: string
  readonly bound: 'stream' | 'whole'
  /** Options of `reprise record`. */
  readonly record?: readonly string[]
}

const rows: readonly Row[] = [
  {
    name: 'a file copied by streams',
    megabytes: STREAMED_MB,
    bound: 'stream',
    program: `
      import fs from 'node:fs'
      import { pipeline } from 'node:stream/promises'
      await pipeline(fs.createReadStream('large'), fs.createWriteStream('copy'))`,
  },
  {
    name: 'a file copied by streams over a layer',
    // Content of a file that changes is kept up to 64 MB: the most that is read at once.
    megabytes: scaled(60, 12),
    bound: 'stream',
    record: ['--fs', 'overlay'],
    program: `
      import fs from 'node:fs'
      import { pipeline } from 'node:stream/promises'
      await pipeline(fs.createReadStream('large'), fs.createWriteStream('copy'))`,
  },
  {
    name: 'a download',
    megabytes: STREAMED_MB,
    bound: 'stream',
    program: `
      let bytes = 0
      for await (const chunk of (await fetch(process.env.BASE)).body) bytes += chunk.length
      console.log(bytes)`,
  },
  {
    name: 'the output of a child',
    megabytes: STREAMED_MB,
    bound: 'stream',
    program: `
      import { spawn } from 'node:child_process'
      let bytes = 0
      spawn('cat', ['large']).stdout.on('data', (chunk) => { bytes += chunk.length }).on('end', () => console.log(bytes))`,
  },
  {
    name: 'readFile',
    megabytes: WHOLE_MB,
    bound: 'whole',
    program: `import fs from 'node:fs'; console.log(fs.readFileSync('large').length)`,
  },
  {
    name: 'writeFile',
    megabytes: WHOLE_MB,
    bound: 'whole',
    program: `import fs from 'node:fs'; await fs.promises.writeFile('copy', Buffer.alloc(${WHOLE_MB} * 1e6, 7))`,
  },
]

/** The short form has one row of each bound. */
const chosen =
  campaignSize === 'short'
    ? rows.filter(({ name }) => name === 'a file copied by streams' || name === 'readFile')
    : rows

test.each(chosen)(
  '$megabytes MB: $name',
  { timeout: 3_600_000 },
  async ({ name, megabytes, program, bound, record = [] }) => {
    const folder = tempFolder()
    writeLarge(join(folder, 'large'), megabytes)
    writeFileSync(join(folder, 'agent.mjs'), program)
    const server = http.createServer((_request, response) =>
      createReadStream(join(folder, 'large')).pipe(response),
    )
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const env = { ...process.env, BASE: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
    const peakOf = async (...command: string[]): Promise<number> => {
      const { stdout, stderr } = await runChild('python3', [peak, ...command], { cwd: folder, env })
      const [code, kilobytes] = stdout.trim().split(' ').map(Number)
      expect([command[1], code, stderr]).toEqual([command[1], 0, ''])
      return Math.round((kilobytes ?? 0) / 1024)
    }
    const plain = await peakOf(process.execPath, 'agent.mjs')
    const recorded = await peakOf(
      process.execPath,
      bin,
      'record',
      ...record,
      '--out',
      'run.tape',
      '--',
      process.execPath,
      'agent.mjs',
    )
    server.closeAllConnections()
    server.close()
    const replayed = await peakOf(process.execPath, bin, 'replay', 'run.tape')
    expect(statSync(join(folder, 'run.tape')).size).toBeGreaterThan(0)
    if (campaignSize !== 'short') console.log(JSON.stringify({ name, megabytes, plain, recorded, replayed }))
    const most = bound === 'stream' ? STREAM_BOUND_MB : plain + WHOLE_SLACK_MB
    expect(recorded).toBeLessThanOrEqual(most)
    expect(replayed).toBeLessThanOrEqual(most)
  },
)

/** Bytes that are no text, and no two blocks of them the same. */
function writeLarge(path: string, megabytes: number): void {
  const file = openSync(path, 'w')
  const block = Buffer.alloc(1_000_000)
  let state = 1
  for (let at = 0; at < block.length; at += 1) {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0
    block[at] = state >>> 16
  }
  for (let left = megabytes; left > 0; left -= 1) {
    block.writeUInt32LE(left, 0)
    writeSync(file, block)
  }
  closeSync(file)
}
