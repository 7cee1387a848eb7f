/**
 * Logins replay without the password: what a program derives from it is on the tape as another value, and what
 * it sends with it is compared without the password.
 */
import { createHmac, pbkdf2Sync } from 'node:crypto'
import { readFileSync } from 'node:fs'
import net, { type AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { recordProgram } from '../support/recorded-program.ts'

const PASSWORD = 'aLong-Passw0rd-of-the-test'
const NONCE = 'nonce-of-the-server'
const key = (password: string): Buffer => pbkdf2Sync(password, 'salt', 10, 32, 'sha256')
const proof = (password: string, text: string): string =>
  createHmac('sha256', key(password)).update(text).digest('base64')

/** Sends a nonce, checks the proof, answers with a proof of its own; then echoes. */
const server = net.createServer((socket) => {
  socket.on('error', () => undefined)
  socket.write(`${NONCE}\n`)
  let isIn = false
  socket.on('data', (bytes) => {
    const line = String(bytes)
    if (isIn) socket.write(`echo ${line}`)
    else if (line !== `login ${masked(PASSWORD)}\n` && !line.startsWith('AUTH')) socket.end('denied\n')
    else {
      isIn = true
      socket.write(line.startsWith('AUTH') ? 'welcome\n' : `welcome v=${proof(PASSWORD, 'server')}\n`)
    }
  })
})
/** As SCRAM does: the proof that is sent is the key and its signature, combined by the program itself. */
const masked = (password: string): string => {
  const own = key(password)
  const signature = createHmac('sha256', own).update(NONCE).digest()
  return Buffer.from(own.map((byte, at) => byte ^ (signature[at] ?? 0))).toString('base64')
}

let port = ''
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  port = String((server.address() as AddressInfo).port)
})
afterAll(() => new Promise((resolve) => server.close(resolve)))

const HEAD = `import net from 'node:net'; import { once } from 'node:events'; import crypto from 'node:crypto'; import { promisify } from 'node:util'
const password = process.env.LOGIN_PASSWORD
const connect = async () => { const socket = net.connect(process.env.PORT, '127.0.0.1'); const [nonce] = await once(socket, 'data'); return [socket, String(nonce).trim()] }
const answer = async (socket) => String((await once(socket, 'data'))[0]).trim()
const combine = (a, b) => Buffer.from(a.map((byte, at) => byte ^ b[at])).toString('base64')
`
const LOGINS: Readonly<Record<string, string>> = {
  'functions that return at once': `
    const [socket, nonce] = await connect()
    const own = crypto.pbkdf2Sync(password, 'salt', 10, 32, 'sha256'), expected = crypto.createHmac('sha256', own).update('server').digest('base64')
    socket.write('login ' + combine(own, crypto.createHmac('sha256', own).update(nonce).digest()) + '\\n')
    const welcome = await answer(socket)
    console.log('server is known:', welcome === 'welcome v=' + expected)
    socket.write('query\\n'); console.log(await answer(socket)); socket.destroy()`,
  'functions that call back': `
    const [socket, nonce] = await connect()
    const own = await promisify(crypto.pbkdf2)(password, 'salt', 10, 32, 'sha256')
    socket.write('login ' + combine(own, crypto.createHmac('sha256', own).update(nonce).digest()) + '\\n')
    const welcome = await answer(socket)
    console.log('server is known:', welcome === 'welcome v=' + crypto.createHmac('sha256', own).update('server').digest('base64')); socket.destroy()`,
  'Web Crypto': `
    const { subtle } = crypto.webcrypto, text = (value) => new TextEncoder().encode(value)
    const [socket, nonce] = await connect()
    const base = await subtle.importKey('raw', text(password), 'PBKDF2', false, ['deriveBits'])
    const own = await subtle.deriveBits({ name: 'PBKDF2', hash: 'SHA-256', salt: text('salt'), iterations: 10 }, base, 256)
    const sign = async (value) => Buffer.from(await subtle.sign('HMAC', await subtle.importKey('raw', own, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']), text(value)))
    const expected = (await sign('server')).toString('base64')
    socket.write('login ' + combine(Buffer.from(own), await sign(nonce)) + '\\n')
    const welcome = await answer(socket)
    console.log('server is known:', welcome === 'welcome v=' + expected); socket.destroy()`,
  'two connections at the same time, and a third that sends in between': `
    const [other] = await connect(); other.write('AUTH ' + Buffer.from('\\0me\\0' + password).toString('base64') + '\\n'); await answer(other)
    const derive = promisify(crypto.pbkdf2), pause = () => new Promise((resolve) => setImmediate(resolve))
    const logIn = async () => {
      const [socket, nonce] = await connect()
      const own = await derive(password, 'salt', 10, 32, 'sha256')
      const sent = combine(own, crypto.createHmac('sha256', own).update(nonce).digest())
      await pause(); other.write('between\\n'); await pause()
      socket.write('login ' + sent + '\\n')
      const welcome = await answer(socket); socket.write('query\\n'); return [welcome.slice(0, 7), await answer(socket)]
    }
    console.log(await Promise.all([logIn(), logIn()])); other.destroy(); process.exit()`,
  'a connection that is opened in answer to another one': `
    const [first] = await connect()
    first.write('AUTH 0\\n')
    first.once('data', () => {
      const second = net.connect(process.env.PORT, '127.0.0.1', () => {
        const own = crypto.pbkdf2Sync(password, 'salt', 10, 32, 'sha256'), expected = crypto.createHmac('sha256', own).update('server').digest('base64')
        second.write('login ' + combine(own, crypto.createHmac('sha256', own).update('${NONCE}').digest()) + '\\n')
        let all = ''
        second.on('data', (bytes) => { all += bytes; if (all.includes('welcome')) { console.log('server is known:', all.includes(expected)); second.destroy(); first.destroy() } })
        second.on('close', () => console.log('closed', !all.includes('denied')))
      })
    })`,
  'the password itself': `
    const [socket] = await connect()
    socket.write('AUTH ' + password.length + ' ' + Buffer.from('\\0me\\0' + password).toString('base64') + '\\n')
    console.log((await answer(socket)).slice(0, 7)); socket.destroy()`.replace(
    "password.length + ' ' + ",
    '',
  ),
}

test.each(Object.entries(LOGINS))('%s', async (_what, source) => {
  // A program that computes the proof of the server when it has come finds it on the tape.
  const isChecked = source.includes('promisify')
  const program = await recordProgram(HEAD + source, { LOGIN_PASSWORD: PASSWORD, PORT: port })
  expect(program.recorded).toMatchObject({ code: 0, stderr: '' })
  expect(program.recorded.stdout).not.toContain('false')
  const tape = readFileSync(program.tape, 'latin1')
  const secrets = [
    PASSWORD,
    masked(PASSWORD),
    ...(isChecked ? [] : [proof(PASSWORD, 'server')]),
    Buffer.from(PASSWORD).toString('base64'),
  ]
  for (const bytes of [key(PASSWORD), createHmac('sha256', key(PASSWORD)).update(NONCE).digest()])
    secrets.push(bytes.toString('base64'), bytes.toString('hex'))
  for (const secret of secrets) expect(tape).not.toContain(secret)
  const { report, stdout, code } = await program.replay({ env: { PATH: process.env.PATH } })
  expect(report).toMatchObject({ verdict: 'faithful', divergences: [], gaps: [] })
  expect({ stdout, code }).toEqual({ stdout: program.recorded.stdout, code: 0 })
})

test('a program that lets go of a connection after a secret at the end of its bytes', async () => {
  const source = `${HEAD} const [socket] = await connect()
    socket.write('AUTH ' + password); console.log(await answer(socket)); socket.destroy()`
  const program = await recordProgram(source, { LOGIN_PASSWORD: PASSWORD, PORT: port })
  expect(program.recorded).toMatchObject({ code: 0, stdout: 'welcome\n', stderr: '' })
  const { report, stdout } = await program.replay({ env: { PATH: process.env.PATH } })
  expect(report).toMatchObject({ verdict: 'faithful', divergences: [], gaps: [] })
  expect(stdout).toBe(program.recorded.stdout)
  program.change(source.replace('+ password', "+ password + 'x'"))
  const changed = await program.replay({ env: { PATH: process.env.PATH } })
  expect([changed.code, changed.report.verdict]).toEqual([2, 'diverged'])
})

test('a login of LDAP, whose lengths depend on the password', async () => {
  const ldap = net.createServer((socket) => {
    socket.on('error', () => undefined)
    socket.on('data', () => socket.write(Buffer.from('300c02010161070a010004000400', 'hex')))
  })
  await new Promise<void>((resolve) => ldap.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void ldap.close())
  const source = (name: string): string => `import net from 'node:net'; import { once } from 'node:events'
    const element = (tag, ...parts) => { const content = Buffer.concat(parts); return Buffer.concat([Buffer.of(tag, content.length), content]) }
    const bind = (name, password) => element(0x30, Buffer.of(2, 1, 1), element(0x60, Buffer.of(2, 1, 3), element(4, Buffer.from(name)), element(0x80, Buffer.from(password))))
    const socket = net.connect(process.env.PORT, '127.0.0.1')
    socket.write(bind('${name}', process.env.LDAP_PASSWORD)); console.log((await once(socket, 'data'))[0].toString('hex')); socket.destroy()`
  const env = { LDAP_PASSWORD: 'w0rd-0f-A', PORT: String((ldap.address() as AddressInfo).port) }
  const program = await recordProgram(source('cn=agent'), env)
  expect(program.recorded).toMatchObject({ code: 0, stdout: '300c02010161070a010004000400\n' })
  const { report, stdout } = await program.replay({ env: { PATH: process.env.PATH } })
  expect(report).toMatchObject({ verdict: 'faithful', divergences: [] })
  expect(stdout).toBe(program.recorded.stdout)
  program.change(source('cn=other'))
  const changed = await program.replay({ env: { PATH: process.env.PATH } })
  expect([changed.code, changed.report.verdict]).toEqual([2, 'diverged'])
})

test('a hash of a secret is printed as it was, and is not on the tape', async () => {
  const source = `import { createHash } from 'node:crypto'; const { SERVICE_TOKEN } = process.env
    const name = createHash('sha256').update('cache:' + SERVICE_TOKEN).digest('hex'); console.log(name.length, name === createHash('sha256').update('cache:' + SERVICE_TOKEN).digest('hex'))`
  const program = await recordProgram(source, { SERVICE_TOKEN: PASSWORD })
  const { report, stdout } = await program.replay({ env: { PATH: process.env.PATH } })
  expect(report).toMatchObject({ verdict: 'faithful' })
  expect(stdout).toBe(program.recorded.stdout)
})

test('another login of the same length is another program only where it shows', async () => {
  const source = HEAD + LOGINS['functions that return at once']
  const program = await recordProgram(source, { LOGIN_PASSWORD: PASSWORD, PORT: port })
  program.change(source.replace("socket.write('query\\n')", "socket.write('other\\n')"))
  const { report, code } = await program.replay()
  expect({ code, verdict: report.verdict }).toEqual({ code: 2, verdict: 'diverged' })
  expect(JSON.stringify(report.divergences)).toMatch(/query.*other/)
})

test('which bytes a recording holds back, because a secret could begin there, does not matter', async () => {
  const source = `${HEAD}
    for (let n = 0; n < 4; n += 1) crypto.createHash('sha256').update(password + n).digest('hex')
    const [socket] = await connect(); socket.write('AUTH\\n'); await answer(socket)
    for (const last of '0123456789abcdef') { socket.write('line ' + last); console.log(await answer(socket)) }
    socket.destroy()`
  const program = await recordProgram(source, { LOGIN_PASSWORD: PASSWORD, PORT: port })
  expect(program.recorded).toMatchObject({ code: 0, stderr: '' })
  const { report, stdout } = await program.replay({ env: { PATH: process.env.PATH } })
  expect(report).toMatchObject({ verdict: 'faithful', divergences: [], gaps: [] })
  expect(stdout).toBe(program.recorded.stdout)
})
