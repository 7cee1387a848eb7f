/**
 * Programs that sign with a private key replay without it: signatures are on the tape as other values of the
 * same form, and a key is one of the same sort.
 */
import { generateKeyPairSync } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { recordProgram } from '../support/recorded-program.ts'

const pem = { type: 'pkcs8', format: 'pem' } as const
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const RSA = rsa.privateKey.export(pem)
const EC = ec.privateKey.export(pem)
const ED = generateKeyPairSync('ed25519').privateKey.export(pem)
const FILES = {
  'rsa.pem': String(rsa.privateKey.export({ type: 'pkcs1', format: 'pem' })),
  '.env': `APP_KEY="${String(RSA).trim().replaceAll('\n', '\\n')}"\n`,
  'account.json': JSON.stringify({ client_email: 'a@example.com', private_key: RSA }),
  'ec.pem': String(EC),
  'public.pem': String(rsa.publicKey.export({ type: 'spki', format: 'pem' })),
}

const HEAD = `import crypto from 'node:crypto'; import fs from 'node:fs'; import { promisify } from 'node:util'
const account = JSON.parse(fs.readFileSync('account.json', 'utf8')).private_key, key = fs.readFileSync('ec.pem', 'utf8')
const data = Buffer.from('header.payload')
`
const READER = `
    const signed = async (text, algorithm) => {
      const pem = text.includes('BEGIN RSA PRIVATE KEY') ? crypto.createPrivateKey(text).export({ type: 'pkcs8', format: 'pem' }) : text
      if (!pem.startsWith('-----BEGIN PRIVATE KEY-----\\n')) throw new TypeError('no key')
      const der = Uint8Array.from(atob(pem.trim().split('\\n').slice(1, -1).join('')), (char) => char.charCodeAt(0))
      const own = await crypto.webcrypto.subtle.importKey('pkcs8', der, algorithm, false, ['sign'])
      const bytes = Buffer.from(await crypto.webcrypto.subtle.sign(algorithm.hash ? { ...algorithm, hash: 'SHA-256' } : algorithm, own, data))
      fs.appendFileSync('tokens', 'header.payload.' + bytes.toString('base64url') + '\\n'); console.log(own.type, bytes.length)
    }`
const PROGRAMS: Readonly<Record<string, string>> = {
  'a token of a service account': `
    const signature = crypto.createSign('RSA-SHA256').update('header.').update('payload').sign(account, 'base64')
    fs.writeFileSync('token', 'header.payload.' + signature); console.log(signature.length)`,
  'a key object that a program checks': `
    const object = crypto.createPrivateKey(account), curve = crypto.createPrivateKey({ key })
    console.log(object.type, object.asymmetricKeyType, object.asymmetricKeyDetails.modulusLength, curve.asymmetricKeyDetails.namedCurve)
    console.log(crypto.sign('sha256', data, object).length, crypto.sign('sha256', data, { key: curve, dsaEncoding: 'ieee-p1363' }).length)`,
  'two numbers in DER': `
    const der = crypto.sign('sha256', data, key), first = der[3]
    console.log(der[0], der[1] === der.length - 2, der[2], der[4 + first], der.length === 6 + first + der[5 + first])
    fs.writeFileSync('signature', der.toString('hex'))`,
  'randomness in a signature and in a cipher': `
    const pss = crypto.sign('sha256', data, { key: account, padding: crypto.constants.RSA_PKCS1_PSS_PADDING })
    console.log(pss.length, crypto.publicEncrypt(fs.readFileSync('public.pem'), Buffer.from('hello')).toString('hex'))`,
  'a callback': `
    const order = []
    const signed = promisify(crypto.sign)('sha256', data, key).then(() => order.push('signed'))
    setTimeout(() => order.push('timer')); await signed; await promisify(setTimeout)(5); console.log(order.length)`,
  failures: `
    for (const attempt of [() => crypto.sign('sha256', data, 'no key'), () => crypto.createPrivateKey('no key'), () => crypto.createSign('sha256').sign('')])
      try { attempt() } catch (error) { console.log(error.code) }
    console.log(await promisify(crypto.sign)('sha256', data, key).then(({ length }) => length > 60))`,
  'Web Crypto': `
    const { subtle } = crypto.webcrypto
    const own = await subtle.importKey('jwk', ${JSON.stringify(ec.privateKey.export({ format: 'jwk' }))}, { name: 'ECDSA', namedCurve: 'P-256' }, false, ['sign'])
    const signature = await subtle.sign({ name: 'ECDSA', hash: 'SHA-256' }, own, data)
    fs.writeFileSync('signature', Buffer.from(signature).toString('hex')); console.log(signature.byteLength)`,
  // As `importPKCS8` of jose, and the GitHub App of Octokit, which converts a key of PKCS #1 first.
  'a library that reads the text of a key': `${READER}
    const variables = fs.readFileSync('.env', 'utf8').split('"')[1].replaceAll('\\\\n', '\\n')
    await signed(process.env.APP_PRIVATE_KEY, 'Ed25519'); await signed(await fs.promises.readFile('ec.pem', 'utf8'), { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' })
    for (const text of [account, variables, fs.readFileSync('rsa.pem', 'utf8')]) await signed(text, { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' })
    fs.writeFileSync('copy.pem', variables); fs.writeFileSync('copy.json', JSON.stringify({ key, own: process.env.APP_PRIVATE_KEY }))`,
}

const ENV = { APP_PRIVATE_KEY: String(ED) }

test.each(Object.entries(PROGRAMS))('%s', async (_what, source) => {
  const program = await recordProgram(HEAD + source, ENV, 'agent.mjs', [], FILES)
  expect(program.recorded).toMatchObject({ code: 0, stderr: '' })
  const tape = readFileSync(program.tape, 'latin1')
  for (const line of `${RSA}${EC}${ED}${FILES['rsa.pem']}`.split('\n').filter((text) => text.length > 40))
    expect(tape).not.toContain(line)
  const { report, stdout, code } = await program.replay()
  expect(report).toMatchObject({ verdict: 'faithful', divergences: [], gaps: [] })
  expect({ stdout, code }).toEqual({ stdout: program.recorded.stdout, code: 0 })
})

test('other data that is signed is a divergence', async () => {
  const source = `${HEAD} crypto.createSign('sha256').update(fs.readFileSync(0, 'utf8') || 'a').sign(key); crypto.sign('sha256', data, key)`
  const program = await recordProgram(source, {}, 'agent.mjs', [], FILES)
  for (const changed of [
    source.replace("|| 'a'", "|| 'b'"),
    source.replace('data, key', "Buffer.from('other'), key"),
  ]) {
    program.change(changed)
    const { report, code } = await program.replay()
    expect({ code, verdict: report.verdict }).toEqual({ code: 2, verdict: 'diverged' })
    expect(JSON.stringify(report.divergences)).toContain('sign')
  }
})

test('a key in a variable shows its form on the tape, and is a text of this form in a replay', async () => {
  const source = `for (const name of ['APP_PRIVATE_KEY', 'RSA_PRIVATE_KEY', 'API_TOKEN']) console.log(process.env[name]?.split('\\n')[0].length); console.log(Object.keys(process.env).length > 2)`
  const env = { APP_PRIVATE_KEY: String(RSA), RSA_PRIVATE_KEY: FILES['rsa.pem'] }
  const program = await recordProgram(source, env)
  const tape = readFileSync(program.tape, 'utf8')
  for (const value of ['<redacted:env:APP_PRIVATE_KEY:pkcs8>', '<redacted:env:RSA_PRIVATE_KEY:rsa>'])
    expect(tape).toContain(value)
  const { report, stdout } = await program.replay({ env: { PATH: process.env.PATH } })
  expect(report).toMatchObject({ verdict: 'faithful' })
  expect(stdout).toBe('27\n31\nundefined\ntrue\n')
})

test('other data that Web Crypto signs is a divergence', async () => {
  const source = HEAD + PROGRAMS['Web Crypto']
  const program = await recordProgram(source, {}, 'agent.mjs', [], FILES)
  program.change(source.replace("'header.payload'", "'header.other'"))
  const { report, code } = await program.replay()
  expect({ code, verdict: report.verdict }).toEqual({ code: 2, verdict: 'diverged' })
  expect(JSON.stringify(report.divergences)).toContain('subtle.sign')
})
