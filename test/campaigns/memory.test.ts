/**
 * The peak of memory of recorded and replayed programs that move large content, as the operating system counts
 * it (the largest process of `reprise record` and `reprise replay`). Streams: a fixed bound, whatever the size.
 * Files that are read or written whole, and streams that the plain program itself does not bound: its peak and
 * 220 MB. Request bodies: 1.3 times it.
 */
import { closeSync, createReadStream, openSync, statSync, writeFileSync, writeSync } from 'node:fs'
import http from 'node:http'
import net, { type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import zlib from 'node:zlib'
import { expect, test } from 'vitest'
import { campaignSize, scaled } from '../support/campaign.ts'
import { runChild } from '../support/run-child.ts'
import { tempFolder } from '../support/temp-folder.ts'

const STREAMED_MB = campaignSize === 'full' ? 2000 : scaled(500, 12)
const WHOLE_MB = scaled(100, 12)
const STREAM_BOUND_MB = 300
const WHOLE_SLACK_MB = 220
/** Peaks of the plain program differ by 20 percent from run to run: the median counts. */
const RUNS_OF_BODIES = 7
const BODIES_FACTOR = 1.3

const bin = fileURLToPath(new URL('../../bin/reprise.js', import.meta.url))
const peak = fileURLToPath(new URL('../support/peak.py', import.meta.url))

type Row = {
  readonly name: string
  readonly megabytes: number
  readonly program: string
  readonly bound: 'stream' | 'whole' | 'bodies'
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
    name: 'a file that a stream appends to',
    megabytes: STREAMED_MB,
    bound: 'stream',
    program: `
      import fs from 'node:fs'
      import { pipeline } from 'node:stream/promises'
      fs.writeFileSync('log', 'first\\n')
      await pipeline(fs.createReadStream('large'), fs.createWriteStream('log', { flags: 'a' }))`,
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
    name: 'a connection down, with a slow reader',
    megabytes: scaled(100, 12),
    bound: 'stream',
    program: `
      import net from 'node:net'
      const socket = net.connect(process.env.RAW, '127.0.0.1'); socket.write('down\\n')
      let bytes = 0, pieces = 0
      for await (const chunk of socket) { bytes += chunk.length; pieces += 1; if (pieces % 64 === 0) await new Promise((done) => setTimeout(done, 1)) }
      console.log(bytes)`,
  },
  {
    name: 'a connection up, with a slow peer',
    megabytes: scaled(100, 12),
    bound: 'stream',
    program: `
      import fs from 'node:fs'
      import net from 'node:net'
      import { pipeline } from 'node:stream/promises'
      const socket = net.connect({ port: Number(process.env.RAW), host: '127.0.0.1', allowHalfOpen: true })
      const answer = new Promise((resolve) => socket.once('data', (bytes) => resolve(String(bytes))))
      await pipeline(fs.createReadStream('large'), socket, { end: true }).catch((error) => console.log(error.code))
      console.log(await answer)`,
  },
  {
    name: 'a download in gzip by node:http',
    megabytes: STREAMED_MB,
    bound: 'stream',
    program: `
      import http from 'node:http'
      import zlib from 'node:zlib'
      http.get(process.env.BASE + '/gzip', (response) => {
        let bytes = 0
        response
          .pipe(zlib.createGunzip())
          .on('data', (chunk) => { bytes += chunk.length })
          .on('end', () => console.log(bytes))
      })`,
  },
  {
    name: 'a download in gzip by fetch',
    // `fetch` of Node 20 reads a compressed answer faster than it decodes it: 100 MB take the plain program
    // 430 MB and three minutes on a busy machine, 2 GB hours. Newer Nodes take 95 MB.
    megabytes: scaled(100, 12),
    bound: 'whole',
    program: `
      let bytes = 0
      for await (const chunk of (await fetch(process.env.BASE + '/gzip')).body) bytes += chunk.length
      console.log(bytes)`,
  },
  {
    name: 'a download in brotli by node:http',
    megabytes: STREAMED_MB,
    bound: 'stream',
    program: `
      import http from 'node:http'
      import zlib from 'node:zlib'
      http.get(process.env.BASE + '/br', (response) => {
        let bytes = 0
        response
          .pipe(zlib.createBrotliDecompress())
          .on('data', (chunk) => { bytes += chunk.length })
          .on('end', () => console.log(bytes))
      })`,
  },
  {
    name: 'an upload by fetch from a stream',
    megabytes: STREAMED_MB,
    // `fetch` of Node 20 reads the stream without waiting for the socket: the plain program needs more.
    bound: 'whole',
    program: `
      import fs from 'node:fs'
      import { Readable } from 'node:stream'
      const body = Readable.toWeb(fs.createReadStream('large'))
      const response = await fetch(process.env.BASE + '/upload', { method: 'POST', duplex: 'half', body })
      console.log(await response.text())`,
  },
  {
    name: 'an upload by node:http from a stream',
    megabytes: STREAMED_MB,
    bound: 'stream',
    program: `
      import fs from 'node:fs'
      import http from 'node:http'
      const request = http.request(process.env.BASE + '/upload', { method: 'POST' }, (response) => {
        response.pipe(process.stdout)
      })
      fs.createReadStream('large').pipe(request)`,
  },
  {
    name: 'five request bodies of 10 MB',
    megabytes: 1,
    bound: 'bodies',
    program: `
      for (let at = 0; at < 5; at += 1) {
        const body = 'lorem ipsum '.repeat(833_333) + at
        const response = await fetch(process.env.BASE + '/upload', { method: 'POST', body })
        console.log(await response.text())
      }`,
  },
  {
    name: 'five request bodies of 10 MB, JSON',
    megabytes: 1,
    bound: 'bodies',
    program: `
      for (let at = 0; at < 5; at += 1) {
        const text = 'lorem ipsum dolor sit amet, consectetur adipiscing elit, sed do'
        const items = Array.from({ length: 90_000 }, (_, id) => ({ id, title: 'item ' + id + ' of ' + at, text }))
        const headers = { 'content-type': 'application/json' }
        const body = JSON.stringify({ at, items })
        const response = await fetch(process.env.BASE + '/upload', { method: 'POST', headers, body })
        console.log(await response.text())
      }`,
  },
  {
    name: 'the input of a child',
    megabytes: STREAMED_MB,
    bound: 'stream',
    program: `
      import { spawn } from 'node:child_process'
      import fs from 'node:fs'
      const child = spawn('wc', ['-c'])
      fs.createReadStream('large').pipe(child.stdin)
      child.stdout.pipe(process.stdout)`,
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
    let served = 0
    const server = http.createServer((request, response) => {
      served += 1
      answer(join(folder, 'large'), request, response)
    })
    // On a busy machine a client may use a connection that the server has just closed because it was idle.
    server.keepAliveTimeout = 600_000
    // The default ends a request after five minutes: an upload of 2 GB may take longer.
    server.requestTimeout = 0
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const raw = net.createServer({ allowHalfOpen: true }, (socket) => {
      served += 1
      serveRaw(socket, join(folder, 'large'))
    })
    await new Promise<void>((resolve) => raw.listen(0, '127.0.0.1', resolve))
    const env = {
      ...process.env,
      BASE: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      RAW: String((raw.address() as AddressInfo).port),
    }
    const peakOf = async (...command: string[]): Promise<number> => {
      const { stdout, stderr } = await runChild('python3', [peak, ...command], { cwd: folder, env })
      const [code, kilobytes] = stdout.trim().split(' ').map(Number)
      expect([command[1], code, stderr]).toEqual([command[1], 0, ''])
      return Math.round((kilobytes ?? 0) / 1024)
    }
    const node = process.execPath
    const options = ['--force', ...record, '--out', 'run.tape']
    const peaks: Record<'plain' | 'recorded' | 'replayed', number[]> = {
      plain: [],
      recorded: [],
      replayed: [],
    }
    // In turns, so that the load of the machine is the same for all three.
    for (let run = 0; run < (bound === 'bodies' ? RUNS_OF_BODIES : 1); run += 1) {
      peaks.plain.push(await peakOf(node, 'agent.mjs'))
      peaks.recorded.push(await peakOf(node, bin, 'record', ...options, '--', node, 'agent.mjs'))
      const requests = served
      peaks.replayed.push(await peakOf(node, bin, 'replay', 'run.tape'))
      expect(served).toBe(requests)
    }
    server.closeAllConnections()
    server.close()
    raw.close()
    expect(statSync(join(folder, 'run.tape')).size).toBeGreaterThan(0)
    if (campaignSize !== 'short') console.log(JSON.stringify({ name, megabytes, ...peaks }))
    const most = mostOf(bound, median(peaks.plain))
    expect(median(peaks.recorded), JSON.stringify(peaks)).toBeLessThanOrEqual(most)
    expect(median(peaks.replayed), JSON.stringify(peaks)).toBeLessThanOrEqual(most)
  },
)

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0
}

/** Sends the file to whom asks for it; counts what anyone else sends, and takes it slowly. */
function serveRaw(socket: net.Socket, large: string): void {
  socket.on('error', () => undefined)
  socket.once('data', (first) => {
    if (first.subarray(0, 4).toString() === 'down') {
      createReadStream(large).pipe(socket)
      return
    }
    let bytes = first.length
    socket.on('data', (chunk) => {
      bytes += chunk.length
      socket.pause()
      setImmediate(() => socket.resume())
    })
    socket.on('end', () => socket.end(`received ${bytes}`))
  })
}

function mostOf(bound: Row['bound'], plain: number): number {
  switch (bound) {
    case 'stream':
      return STREAM_BOUND_MB
    case 'whole':
      return plain + WHOLE_SLACK_MB
    case 'bodies':
      return plain * BODIES_FACTOR
  }
}

function answer(large: string, request: http.IncomingMessage, response: http.ServerResponse): void {
  const { constants } = zlib
  switch (request.url) {
    case '/upload': {
      let bytes = 0
      request.on('data', (chunk: Buffer) => {
        bytes += chunk.length
      })
      request.on('end', () => response.end(String(bytes)))
      return
    }
    case '/gzip':
      response.setHeader('content-encoding', 'gzip')
      createReadStream(large)
        .pipe(zlib.createGzip({ level: 1 }))
        .pipe(response)
      return
    case '/br':
      response.setHeader('content-encoding', 'br')
      createReadStream(large)
        .pipe(zlib.createBrotliCompress({ params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }))
        .pipe(response)
      return
    default:
      createReadStream(large).pipe(response)
  }
}

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
