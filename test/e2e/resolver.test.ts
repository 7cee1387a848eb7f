/** Questions of a program to the resolver: recorded with a name server, replayed without it. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type NameServer, startNameServer } from '../support/name-server.ts'
import { recordProgram } from '../support/recorded-program.ts'

let server: NameServer
beforeAll(async () => {
  server = await startNameServer()
})
afterAll(() => server.stop())

const HEAD = `import dns from 'node:dns'; import promises from 'node:dns/promises'; import { promisify } from 'node:util'
const show = (...values) => console.log(...values.map((value) => value instanceof Error ? [value.name, value.code, value.syscall, value.hostname, value.message].join(' ') : JSON.stringify(value)))
const TYPES = ['A', 'AAAA', 'CAA', 'CNAME', 'MX', 'NAPTR', 'NS', 'PTR', 'SOA', 'SRV', 'TXT']
`
const PROGRAMS: Readonly<Record<string, string>> = {
  'with callbacks': `
    const resolver = new dns.Resolver(); resolver.setServers([process.env.NAMES])
    const call = (name, ...args) => new Promise((done) => resolver[name](...args, (error, ...found) => done(show(name, error ?? found))))
    for (const type of TYPES) await call('resolve', 'example.test', type)
    await call('resolve4', 'example.test', { ttl: true }); await call('reverse', '10.0.0.7'); await call('resolve4', 'missing.test')
    dns.setServers([process.env.NAMES]); await promisify(dns.resolve4)('example.test').then(show); show(resolver.getServers().length)`,
  'with promises': `
    const resolver = new promises.Resolver({ timeout: 5000, tries: 2 }); resolver.setServers([process.env.NAMES])
    show(...await Promise.all(TYPES.map((type) => resolver.resolve('example.test', type))))
    show(await resolver.resolveTxt('example.test'), await resolver.resolve6('missing.test').catch((error) => error))
    if (resolver.resolveTlsa) { const [{ data }] = await resolver.resolveTlsa('example.test'); show(data instanceof ArrayBuffer, Buffer.from(data).toString('hex')) }
    show(await resolver.reverse('10.0.0.7'))`,
  'of the machine': `
    const call = (name, ...args) => new Promise((done) => dns[name](...args, (error, ...found) => done(show(name, error ?? found))))
    await call('lookup', 'localhost'); await call('lookup', 'localhost', { all: true }); await call('lookup', 'localhost', 4); await call('lookupService', '127.0.0.1', 22)
    show(await promises.lookup('localhost', { family: 4 }), await promises.lookupService('127.0.0.1', 80), (await promises.lookup('missing.invalid').catch((error) => error)).syscall)
    show(dns.getServers(), promises.getServers())`,
  'that nobody is asked': `
    const refused = (body) => { try { return body() } catch (error) { show(error.code, error.message) } }
    await new Promise((done) => dns.lookup('10.1.2.3', (error, address) => done(show(address)))); show(await promises.lookup('::1'))
    refused(() => dns.lookup('localhost', { family: 7 }, () => {})); refused(() => dns.resolve('example.test', 'NOPE', () => {})); refused(() => dns.lookup('localhost'))
    refused(() => dns.reverse('no address', () => {})); refused(() => dns.lookupService('localhost', 1, () => {})); refused(() => dns.resolve4(7, () => {}))`,
  'that it takes back': `
    const resolver = new dns.Resolver(); resolver.setServers(['127.0.0.1:1']); setImmediate(() => resolver.cancel())
    resolver.resolve4('example.test', (error) => show(error))`,
}

describe.each(Object.entries(PROGRAMS))('questions %s', (_what, source) => {
  test('replay without the name server', async () => {
    const program = await recordProgram(HEAD + source, { NAMES: server.address })
    expect(program.recorded).toMatchObject({ code: 0, stderr: '' })
    expect(program.recorded.stdout).not.toBe('')
    const asked = server.questions
    const { report, stdout, stderr, code } = await program.replay()
    expect(report).toMatchObject({ verdict: 'faithful', divergences: [], gaps: [] })
    expect({ stdout, stderr, code }).toEqual({ stdout: program.recorded.stdout, stderr: '', code: 0 })
    expect(server.questions).toBe(asked)
  })
})

test('another question diverges, and nobody is asked', async () => {
  const source = `${HEAD} dns.setServers([process.env.NAMES]); show(await promises.resolve4('example.test').catch((error) => error.code))`
  const program = await recordProgram(source, { NAMES: server.address })
  const asked = server.questions
  program.change(source.replace("resolve4('example.test')", "resolve4('other.example.test')"))
  const { report, code } = await program.replay()
  expect({ code, verdict: report.verdict }).toEqual({ code: 2, verdict: 'diverged' })
  expect(JSON.stringify(report.divergences)).toMatch(/dns\.resolve4.*other\.example\.test/)
  expect(server.questions).toBe(asked)
})
