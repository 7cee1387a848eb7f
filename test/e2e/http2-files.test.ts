/** Files that an HTTP/2 server sends by `respondWithFile` and `respondWithFD`: their reads are recorded. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import http2, { type IncomingHttpHeaders } from 'node:http2'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { RecordedProgram } from '../support/recorded-program.ts'
import { recordServer } from '../support/served-program.ts'

const SECRET = 'Fil3-Secret-of-the-test-4711'
const LARGE = Buffer.from(Array.from({ length: 400_000 }, (_, at) => 97 + (at % 26)))
const files = { 'small.txt': '0123456789', 'empty.txt': '', 'large.txt': LARGE, 'reset.txt': LARGE }

/** One answer for each path. It prints what the program sees of it. */
const SERVER = `import { closeSync, mkdirSync, openSync } from 'node:fs'
import { open } from 'node:fs/promises'
import http2 from 'node:http2'
mkdirSync('folder', { recursive: true })
const type = { 'content-type': 'text/plain' }
const thrown = (start) => { try { start() } catch (error) { return error.code + ' ' + error.message } }
const answers = {
  '/small': (stream) => stream.respondWithFile('small.txt', type),
  '/empty': (stream) => stream.respondWithFile('empty.txt'),
  '/large': (stream) => stream.respondWithFile('large.txt', type),
  '/part': (stream) => stream.respondWithFile('small.txt', type, { offset: 3, length: 4 }),
  '/rest': (stream) => stream.respondWithFile('small.txt', type, { offset: 6, length: 100 }),
  '/check': (stream) => stream.respondWithFile('small.txt', { ...type, ':status': 203 }, {
    statCheck(stat, headers) { headers['x-size'] = String(stat.size); console.log(this === stream, headers[':status'], Object.keys(headers).sort().join()) } }),
  '/refused': (stream) => stream.respondWithFile('small.txt', type, { statCheck: () => { stream.respond({ ':status': 304 }); stream.end(); return false } }),
  '/missing': (stream) => stream.respondWithFile('missing.txt', type, { onError: (error) => { console.log(error.code); stream.respond({ ':status': 404 }); stream.end('not there') } }),
  '/failed': (stream) => stream.on('error', ({ code }) => console.log('failed', code)).respondWithFile('missing.txt'),
  '/folder': (stream) => stream.respondWithFile('folder', type, { onError: (error) => { console.log(String(error), error.code); stream.respond({ ':status': 403 }); stream.end() } }),
  '/trailers': (stream) => { stream.on('wantTrailers', () => stream.sendTrailers({ 'x-checked': 'yes' })); stream.respondWithFile('small.txt', type, { waitForTrailers: true }) },
  '/fd': (stream) => { const fd = openSync('small.txt'); stream.respondWithFD(fd, type); console.log(stream.headersSent); stream.on('close', () => closeSync(fd)) },
  '/fd-part': (stream) => { const fd = openSync('large.txt'); stream.respondWithFD(fd, type, { offset: 26, length: 70_000 }); stream.on('close', () => closeSync(fd)) },
  '/fd-check': (stream) => { const fd = openSync('small.txt'); stream.on('close', () => closeSync(fd))
    stream.respondWithFD(fd, type, { statCheck: (stat, headers, part) => { headers['x-size'] = String(stat.size); part.offset = 2; part.length = 5 } }) },
  '/handle': async (stream) => { const handle = await open('small.txt'); stream.respondWithFD(handle, type); stream.on('close', () => handle.close()) },
  '/unreadable': (stream) => { const fd = openSync('written.txt', 'w'); stream.on('error', ({ code }) => console.log('unreadable', code)).on('close', () => closeSync(fd)); stream.respondWithFD(fd) },
  '/wrong': (stream) => { console.log(thrown(() => stream.respondWithFile('small.txt', type, { offset: '1' })))
    console.log(thrown(() => stream.respondWithFile('small.txt', { ':status': 204 }))); console.log(thrown(() => stream.respondWithFD('small.txt')))
    console.log(thrown(() => stream.respondWithFD(0, type, null))); stream.respond(); console.log(thrown(() => stream.respondWithFile('small.txt'))); stream.end() },
  '/response': (stream) => new http2.Http2ServerResponse(stream).stream.respondWithFile('small.txt', type),
  '/last': (stream) => { stream.respond(); stream.end(); server.close(() => console.log('closed')) },
  '/reset': (stream) => { stream.on('close', () => console.log('reset', stream.rstCode)); stream.respondWithFile('reset.txt') },
}
const server = http2.createServer()
server.on('stream', (stream, headers) => answers[headers[':path']](stream))
server.listen(0, '127.0.0.1', () => console.error('PORT ' + server.address().port + ' PID ' + process.pid))`

type Answer = { readonly head: IncomingHttpHeaders; readonly body: Buffer; readonly code: number | undefined }

function ask(session: http2.ClientHttp2Session, path: string): Promise<Answer & { trailer: unknown }> {
  return new Promise((resolve) => {
    const stream = session.request({ ':path': path })
    const parts: Buffer[] = []
    let head: IncomingHttpHeaders = {}
    let trailer: unknown
    stream.on('error', () => undefined)
    stream.on('response', (headers) => {
      head = headers
      if (path === '/reset') stream.close(http2.constants.NGHTTP2_CANCEL)
    })
    stream.on('trailers', (headers) => {
      trailer = headers['x-checked']
    })
    stream.on('data', (bytes: Buffer) => parts.push(bytes))
    stream.on('close', () => resolve({ head, body: Buffer.concat(parts), code: stream.rstCode, trailer }))
  })
}

async function expectFaithful(program: RecordedProgram): Promise<void> {
  for (const name of Object.keys(files)) rmSync(join(program.folder, name), { force: true })
  const { report, stdout, code } = await program.replay({ env: { PATH: process.env.PATH } })
  expect(report).toMatchObject({ verdict: 'faithful', divergences: [], gaps: [] })
  expect({ stdout, code }).toEqual({ stdout: program.recorded.stdout, code: 0 })
}

test('files, parts of files, and descriptors', async () => {
  const client = async ({ port }: { port: number }): Promise<void> => {
    const session = http2.connect(`http://127.0.0.1:${port}`)
    session.on('error', () => undefined)
    const text = async (path: string): Promise<unknown[]> => {
      const { head, body } = await ask(session, path)
      return [head[':status'], head['content-length'], head['x-size'], String(body)]
    }
    const [small, large, again] = await Promise.all(
      ['/small', '/large', '/large'].map((path) => ask(session, path)),
    )
    expect(small).toMatchObject({ head: { 'content-type': 'text/plain', 'content-length': '10' }, code: 0 })
    expect(large?.body.equals(LARGE) && again?.body.equals(LARGE)).toBe(true)
    expect(await text('/empty')).toEqual([200, '0', undefined, ''])
    expect(await text('/part')).toEqual([200, '4', undefined, '3456'])
    expect(await text('/rest')).toEqual([200, '4', undefined, '6789'])
    expect(await text('/check')).toEqual([203, '10', '10', '0123456789'])
    expect(await text('/refused')).toEqual([304, undefined, undefined, ''])
    expect(await text('/missing')).toEqual([404, undefined, undefined, 'not there'])
    expect((await ask(session, '/failed')).code).toBe(2)
    expect(await text('/folder')).toEqual([403, undefined, undefined, ''])
    expect(await ask(session, '/trailers')).toMatchObject({ trailer: 'yes', code: 0 })
    expect(await text('/fd')).toEqual([200, undefined, undefined, '0123456789'])
    expect((await ask(session, '/fd-part')).body.equals(LARGE.subarray(26, 70_026))).toBe(true)
    expect(await text('/fd-check')).toEqual([200, undefined, '10', '23456'])
    expect(await text('/handle')).toEqual([200, undefined, undefined, '0123456789'])
    expect((await ask(session, '/unreadable')).code).toBe(2)
    expect(await text('/wrong')).toEqual([200, undefined, undefined, ''])
    expect((await ask(session, '/reset')).code).toBe(8)
    expect(await text('/response')).toEqual([200, '10', undefined, '0123456789'])
    await ask(session, '/last')
    session.close()
  }
  const program = await recordServer(SERVER, client, { files })
  expect(program.recorded).toMatchObject({ code: 0, stderr: expect.not.stringContaining('Error') })
  expect(program.recorded.stdout.split('\n')).toEqual(
    expect.arrayContaining([
      'ENOENT',
      'failed ENOENT',
      'unreadable ERR_HTTP2_STREAM_ERROR',
      'Error [ERR_HTTP2_SEND_FILE]: Directories cannot be sent ERR_HTTP2_SEND_FILE',
      'true',
      'reset 8',
      'closed',
    ]),
  )
  await expectFaithful(program)
})

test('a server that sends another file, and a secret in a file', async () => {
  const source = SERVER.replace(
    "'/small': ",
    "'/other': (stream) => stream.respondWithFile('other.txt'), '/small': ",
  )
  const client = async ({ port }: { port: number }): Promise<void> => {
    const session = http2.connect(`http://127.0.0.1:${port}`)
    expect(String((await ask(session, '/other')).body)).toBe(`key ${SECRET} end`)
    await ask(session, '/last')
    session.close()
  }
  const program = await recordServer(source, client, {
    files: { ...files, 'other.txt': `key ${SECRET} end` },
    env: { OTHER_API_KEY: SECRET },
  })
  expect(program.recorded).toMatchObject({ code: 0 })
  expect(readFileSync(program.tape, 'utf8')).not.toContain(SECRET)
  rmSync(join(program.folder, 'other.txt'))
  await expectFaithful(program)

  for (const [name, bytes] of Object.entries(files)) writeFileSync(join(program.folder, name), bytes)
  program.change(source.replace("respondWithFile('other.txt')", "respondWithFile('small.txt')"))
  const { report, code } = await program.replay()
  expect([code, report.verdict]).toEqual([2, 'diverged'])
})

test('many files at once, to a client with small windows that resets some of them', async () => {
  const client = async ({ port }: { port: number }): Promise<void> => {
    const session = http2.connect(`http://127.0.0.1:${port}`, { settings: { initialWindowSize: 20_000 } })
    session.on('error', () => undefined)
    const paths = Array.from(
      { length: 24 },
      (_, at) => ['/large', '/fd-part', '/small', '/reset'][at % 4] ?? '',
    )
    const answers = await Promise.all(paths.map((path) => ask(session, path)))
    for (const [at, { body }] of answers.entries())
      if (paths[at] === '/large') expect(body.equals(LARGE)).toBe(true)
    await ask(session, '/last')
    session.close()
  }
  const program = await recordServer(SERVER, client, { files })
  expect(program.recorded).toMatchObject({ code: 0 })
  await expectFaithful(program)
})
