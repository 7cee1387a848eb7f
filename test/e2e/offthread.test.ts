/**
 * Work beside the main thread, through the built command line: each result comes in the place where it came
 * when recorded.
 */
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type CompressingServer, startCompressingServer } from '../support/compressing-server.ts'
import { type RecordedProgram, recordProgram } from '../support/recorded-program.ts'

let server: CompressingServer
beforeAll(async () => {
  server = await startCompressingServer()
})
afterAll(() => server.stop())

/**
 * Every program pushes onto `seen` as things come, and prints it at its end: the order itself is what is
 * compared.
 */
const HEAD = `
  import zlib from 'node:zlib'
  import crypto from 'node:crypto'
  import { promisify } from 'node:util'
  const seen = [], jobs = []
  const saw = (what) => { seen.push(what) }
  const job = (work) => jobs.push(work().catch((error) => saw([error.name, error.message, error.code, error.cause?.code].join(' '))))
  const timer = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
`
const TAIL = `
  await Promise.all(jobs)
  console.log(seen.join('\\n'))
`

async function expectFaithful(
  body: string,
  rounds: number,
  env: Record<string, string> = {},
): Promise<RecordedProgram> {
  const program = await recordProgram(HEAD + body + TAIL, env)
  expect(program.recorded).toMatchObject({ code: 0, stderr: '' })
  expect(program.recorded.stdout.split('\n').length).toBeGreaterThan(2)
  for (let round = 0; round < rounds; round += 1) {
    const replay = await program.replay()
    expect(replay).toMatchObject({ code: 0, stderr: '', stdout: program.recorded.stdout })
    expect(replay.report).toMatchObject({ verdict: 'faithful', divergences: [], unused: [] })
  }
  return program
}

const ZLIB = `
  for (let n = 0; n < 12; n += 1) {
    const bytes = Buffer.alloc(n * 5000, 'text ' + n)
    for (const [make, undo] of [['gzip', 'gunzip'], ['deflate', 'inflate'], ['deflateRaw', 'inflateRaw'], ['brotliCompress', 'brotliDecompress'], ['gzip', 'unzip']]) {
      const options = make === 'brotliCompress' ? { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: n % 7 } } : {}
      job(async () => {
        const small = await promisify(zlib[make])(bytes, options)
        saw(make + n + ':' + small.length)
        saw(undo + n + ':' + (await promisify(zlib[undo])(small)).equals(bytes))
      })
    }
    job(() => new Promise((resolve, reject) => {
      const stream = zlib.createDeflate({ level: n % 10 })
      stream.on('data', (part) => saw('part' + n + ':' + part.length)).on('end', resolve).on('error', reject)
      for (let k = 0; k < 4; k += 1) stream.write(Buffer.alloc(40000, String(n + k)))
      stream.end()
    }))
    job(() => promisify(zlib.gunzip)(Buffer.from('no gzip ' + n)))
    job(() => timer(n % 4).then(() => saw('timer' + n)))
  }
`

const CRYPTO = `
  for (let n = 0; n < 12; n += 1) {
    job(() => promisify(crypto.scrypt)('password', 'salt' + n, 16, { N: 512 << (n % 4) }).then((key) => saw('scrypt' + n + key.toString('hex'))))
    job(() => promisify(crypto.pbkdf2)('password', 'salt', 500 + 900 * (n % 5), 16, 'sha256').then((key) => saw('pbkdf2' + n + key.toString('hex'))))
    job(() => promisify(crypto.hkdf)('sha256', 'key', 'salt', 'info', 16).then((key) => saw('hkdf' + n + Buffer.from(key).toString('hex'))))
    job(async () => {
      const { subtle } = globalThis.crypto
      const key = await subtle.importKey('raw', Buffer.alloc(32, n), 'AES-GCM', true, ['encrypt', 'decrypt'])
      const hidden = await subtle.encrypt({ name: 'AES-GCM', iv: new Uint8Array(12) }, key, Buffer.from('plain ' + n))
      saw('digest' + n + Buffer.from(await subtle.digest('SHA-256', hidden)).toString('hex'))
      saw('decrypted' + n + Buffer.from(await subtle.decrypt({ name: 'AES-GCM', iv: new Uint8Array(12) }, key, hidden)))
    })
    job(() => globalThis.crypto.subtle.digest('NO-SUCH', new Uint8Array(1)))
    job(() => promisify(crypto.checkPrime)(BigInt(7919 + n)).then((is) => saw('prime' + n + is)))
    job(() => timer(n % 4).then(() => saw('timer' + n)))
  }
`

/** One export: a function that gives 42. */
const WASM = `
  const wasm = Buffer.from('0061736d010000000105016000017f03020100070501016600000a06010400412a0b', 'hex')
  for (let n = 0; n < 8; n += 1) {
    job(async () => {
      const { instance } = await WebAssembly.instantiate(wasm)
      saw('instantiated' + n + instance.exports.f())
    })
    job(() => WebAssembly.compile(wasm).then((module) => saw('compiled' + n + WebAssembly.Module.exports(module).length)))
    job(() => WebAssembly.compile(Buffer.from('nothing')))
    job(() => timer(n % 4).then(() => saw('timer' + n)))
  }
`

const PORTS = `
  const { receiveMessageOnPort, BroadcastChannel: NodeChannel } = await import('node:worker_threads')
  for (let n = 0; n < 10; n += 1) {
    const { port1, port2 } = new MessageChannel()
    job(() => new Promise((resolve) => {
      port2.on('message', (message) => { saw('port' + n + message); if (message === 2) port2.close() })
      port2.on('close', () => { saw('closed' + n); resolve() })
    }))
    for (const message of [0, 1, 2]) port1.postMessage(message)
    const web = new MessageChannel()
    job(() => new Promise((resolve) => { web.port1.onmessage = ({ data, ports }) => { saw('web' + n + data.n + ports.length); web.port1.close(); resolve() } }))
    web.port2.postMessage({ n })
    const taken = new MessageChannel()
    taken.port1.postMessage('at once')
    saw(receiveMessageOnPort(taken.port2).message + receiveMessageOnPort(taken.port2))
    const [from, ...to] = [new BroadcastChannel('n' + n), new NodeChannel('n' + n), new NodeChannel('n' + n)]
    job(() => Promise.all(to.map((channel, at) => new Promise((resolve) => {
      channel.onmessage = ({ data }) => { saw('broadcast' + n + at + data); channel.close(); resolve() }
    }))).then(() => from.close()))
    from.postMessage('hello')
    job(() => timer(n % 4).then(() => saw('timer' + n)))
  }
  saw(new MessageChannel() instanceof MessageChannel)
`

const FETCH = `
  for (let n = 0; n < 6; n += 1) {
    for (const path of ['gzip', 'br', 'deflate', 'parts-gzip', 'parts-br', 'no-gzip', 'cut']) job(async () => {
      const response = await fetch(process.env.BASE + '/' + path + '?' + n)
      if (n % 2 === 0) return saw(path + n + (await response.text()).length)
      for await (const part of response.body) saw(path + n + 'part' + part.length)
    })
    job(() => timer(n).then(() => saw('timer' + n)))
  }
`

describe('each result comes in its recorded place', () => {
  test.each([
    ['compression, by function and by stream', ZLIB],
    ['key derivation, prime tests, Web Crypto', CRYPTO],
    ['WebAssembly', WASM],
    ['message ports and broadcast channels', PORTS],
    ['compressed answers to fetch', FETCH],
  ])('%s', async (_name, body) => {
    await expectFaithful(body, 2, { BASE: server.url })
  })

  test('all of it at once', async () => {
    await expectFaithful([ZLIB, CRYPTO, WASM, PORTS, FETCH].join('\n'), 4, { BASE: server.url })
  })

  test('the tape has places, not values', async () => {
    const { tape } = await expectFaithful(
      `job(() => promisify(crypto.scrypt)('hunter2hunter2', 'salt', 16).then((key) => saw('key ' + key.length)));saw('x')`,
      1,
    )
    const text = readFileSync(tape, 'utf8')
    expect(text).toContain('"key":"crypto.scrypt"')
    expect(text.match(/"kind":"completion"/g)).toHaveLength(1)
    expect(text).not.toContain('hunter2')
  })
})

test('modules that are imported amid timers come in their place', async () => {
  const lazy = (n: number): string => `data:text/javascript,export default ${n}`
  await expectFaithful(
    `
    import { writeFileSync } from 'node:fs'
    for (let n = 0; n < 20; n += 1) {
      const file = new URL('./lazy-' + n + '.mjs', import.meta.url)
      writeFileSync(file, 'export default ' + JSON.stringify('x'.repeat(n * 1000)) + '.length')
      job(() => import(file).then((module) => saw('file' + n + module.default)))
      job(() => import('${lazy(1)}' + n).then((module) => saw('url' + module.default)))
      job(() => timer(n % 5).then(() => saw('timer' + n)))
    }
    job(() => import('no-such-package'))
  `,
    3,
  )
})

test('a worker thread of the program is a gap', async () => {
  const program = await recordProgram(`${HEAD}
    import { Worker } from 'node:worker_threads'
    class Own extends Worker {}
    job(() => new Promise((resolve) => {
      const worker = new Own('require("node:worker_threads").parentPort.postMessage(1)', { eval: true })
      worker.on('message', (message) => saw('message ' + message)).on('exit', resolve)
      saw(worker instanceof Worker && worker instanceof Own)
    }))
    ${TAIL}`)
  expect(program.recorded).toMatchObject({ code: 0, stderr: '', stdout: 'true\nmessage 1\n' })
  const { report } = await program.replay()
  expect(report).toMatchObject({ verdict: 'unverified', gaps: [{ boundary: 'worker' }] })
})

test('a new key is no part of the tape: the replay is unverified and says why', async () => {
  const program = await recordProgram(`${HEAD}
    job(async () => { await promisify(crypto.generateKeyPair)('ed25519'); crypto.generateKeySync('aes', { length: 128 }); saw('made') })
    job(async () => { await globalThis.crypto.subtle.generateKey('Ed25519', true, ['sign']); saw('made too') })
    ${TAIL}`)
  expect(program.recorded).toMatchObject({ code: 0, stderr: '' })
  const { code, report } = await program.replay()
  expect(code).toBe(2)
  expect(report).toMatchObject({ verdict: 'unverified', divergences: [] })
  expect(report.gaps.map(({ reason }) => reason.split(' ')[0]).sort()).toEqual([
    'crypto.generateKeyPair',
    'crypto.generateKeySync',
    'subtle.generateKey',
  ])
})

test('a program that does less, or more, than was recorded diverges', async () => {
  const program = await recordProgram(
    `${HEAD} job(() => promisify(crypto.pbkdf2)('p', 's', 1, 8, 'sha1').then(() => saw('done'))); await timer(1); ${TAIL}`,
  )
  program.change(`${HEAD} await timer(1); saw('done'); ${TAIL}`)
  expect((await program.replay()).report).toMatchObject({
    verdict: 'diverged',
    unused: [{ summary: 'crypto.pbkdf2' }],
  })
  program.change(
    `${HEAD} for (const n of [1, 2]) job(() => promisify(crypto.hkdf)('sha256', 'k', 's', 'i', 8).then(() => saw(n))); await timer(1); ${TAIL}`,
  )
  expect((await program.replay()).report).toMatchObject({
    verdict: 'diverged',
    divergences: expect.arrayContaining([expect.objectContaining({ actual: 'crypto.hkdf' })]),
  })
})
