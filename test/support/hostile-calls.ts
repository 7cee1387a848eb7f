/**
 * A hostile call for each row of the table that a replay refuses, and for each question to the resolver: source that would reach outside the
 * process, and the words by which the divergence names it.
 */
import { coverageRows } from '../../src/boundaries/coverage.ts'

export type HostileCall = { readonly row: string; readonly source: string; readonly named: string }

/** Objects whose methods are called; a class is made as a program would. */
const INSTANCES: Readonly<Record<string, string>> = {
  'node:dns.Resolver#': `new (M('dns').Resolver)()`,
  'node:dns.promises.Resolver#': `new (M('dns').promises.Resolver)()`,
  'node:dgram.Socket#': `M('dgram').createSocket('udp4').on('error', () => {})`,
  'node:net.Server#': `M('net').createServer().on('error', () => {})`,
  'node:net.Socket#': `new (M('net').Socket)().on('error', () => {})`,
  'node:sqlite.DatabaseSync#': `new (M('sqlite').DatabaseSync)(':memory:', { allowExtension: true })`,
}

const ENGINE = `{ privateKeyEngine: 'escaped', privateKeyIdentifier: 'key' }`
const SQL = `"attach 'escaped.db' as escaped"`

const ARGUMENTS: Readonly<Record<string, string>> = {
  _kill: '1, 0',
  _debugProcess: '1',
  binding: `'fs'`,
  _linkedBinding: `'fs'`,
  dlopen: `{ exports: {} }, '/nonexistent/escaped.node'`,
  execve: `'/bin/true', ['true'], {}`,
  setPriority: '1, 0',
  writeReport: `'escaped.json'`,
  fork: '',
  open: '0',
  setEngine: `'escaped'`,
  writeHeapSnapshot: `'escaped.heapsnapshot'`,
  setHeapSnapshotNearHeapLimit: '1',
  setHeapProfileNearHeapLimit: '1',
  setFlagsFromString: `'--prof'`,
  createTracing: `{ categories: ['v8'] }`,
  createSecureContext: ENGINE,
  createServer: ENGINE,
  _createServerHandle: `'127.0.0.1', 0, 4`,
  _createSocketHandle: `'127.0.0.1', 0, 'udp4'`,
  _listen2: `'127.0.0.1', 0, 4`,
  listen: '0',
  bind: '0',
  bindSync: '0',
  send: `'escaped', 9, '127.0.0.1', () => {}`,
  addMembership: `'224.0.0.1'`,
  dropMembership: `'224.0.0.1'`,
  addSourceSpecificMembership: `'127.0.0.1', '232.0.0.1'`,
  dropSourceSpecificMembership: `'127.0.0.1', '232.0.0.1'`,
  connect: `9, '127.0.0.1'`,
  connectSync: `9, '127.0.0.1'`,
  setServers: `['127.0.0.1']`,
  setDefaultResultOrder: `'ipv4first'`,
  setLocalAddress: `'127.0.0.1'`,
  lookup: `'escaped.test', () => {}`,
  lookupService: `'127.0.0.1', 9, () => {}`,
  reverse: `'127.0.0.1', () => {}`,
  exec: SQL,
  prepare: SQL,
  loadExtension: `'escaped'`,
  backup: `new (M('sqlite').DatabaseSync)(':memory:'), 'escaped.db'`,
  _forkChild: '3, 0',
}

const CONSTRUCTED: Readonly<Record<string, string>> = {
  Worker: `'require("fs").writeFileSync("escaped", "")', { eval: true }`,
  DatabaseSync: `'escaped.db'`,
  WASI: `{ version: 'preview1', preopens: { '/': '/' } }`,
  BoundSocket: `{ port: 0 }`,
  _TransferredBoundSocket: '',
  DynamicLibrary: `'libc.so.6'`,
}

/** Said by the boundary's own code in its words. */
const WORDS: Readonly<Record<string, string>> = {
  'node:dgram.Socket#: bind': 'a datagram socket that listens',
  'node:dgram.Socket#: send': 'a datagram that is sent',
  'node:net.Server#: listen': 'a server that listens',
  'node:sqlite: DatabaseSync': 'node:sqlite: escaped.db',
  'node:sqlite.DatabaseSync#: exec': 'node:sqlite: exec',
  'node:sqlite.DatabaseSync#: prepare': 'node:sqlite: prepare',
  'process: dlopen': 'native addon escaped.node',
}

/** Answered in a replay, not refused: the cache is disabled, and no report is written. */
const ANSWERED: ReadonlySet<string> = new Set([
  'node:module: enableCompileCache',
  'process.report: reportOnFatalError',
  'process.report: reportOnUncaughtException',
])

/** The calls for the names that a Node has. */
export function hostileCalls(names: Readonly<Record<string, readonly string[]>>): HostileCall[] {
  return coverageRows().flatMap(({ place, name, mark }) => {
    const row = `${place}: ${name}`
    const isQuestion = place.startsWith('node:dns') && mark === 'captured' && name !== 'getServers'
    if ((mark !== 'refused' && !isQuestion) || ANSWERED.has(row) || names[place]?.includes(name) !== true)
      return []
    return [{ row, source: sourceOf(place, name), named: namedAs(place, name) }]
  })
}

function sourceOf(place: string, name: string): string {
  const owner = INSTANCES[place] ?? ownerOf(place)
  if (name.startsWith('reportOn')) return `${owner}.${name} = true`
  const made = Object.hasOwn(CONSTRUCTED, name) ? CONSTRUCTED[name] : undefined
  if (made !== undefined) return `new (${owner}.${name})(${made})`
  const given = Object.hasOwn(ARGUMENTS, name) ? ARGUMENTS[name] : undefined
  const args = given ?? (/^resolve/.test(name) ? `'escaped.test', () => {}` : '')
  return `await ${owner}[${JSON.stringify(name)}](${isPromised(place) ? args.replace(/, \(\) => \{\}$/, '') : args})`
}

function isPromised(place: string): boolean {
  return place.startsWith('node:dns.promises')
}

function ownerOf(place: string): string {
  const [module = '', ...path] = place.split('.')
  const root = module === 'process' ? 'process' : `M(${JSON.stringify(module.replace('node:', ''))})`
  return [root, ...path].join('.')
}

function namedAs(place: string, name: string): string {
  const words = WORDS[`${place}: ${name}`]
  if (words !== undefined) return words
  if (place.startsWith('node:dns') && name.startsWith('set')) return `dns.${name} [`
  if (place.startsWith('node:dns'))
    return `dns.${name} ["${/^(?:reverse|lookupService)$/.test(name) ? '127.0.0.1' : 'escaped.test'}"`
  return name === 'Worker' ? 'new Worker' : name
}

/** Makes each call, swallows what it throws, and goes on. `M` gets a module. */
export function hostileSource(calls: readonly HostileCall[]): string {
  return `
    const M = (name) => process.getBuiltinModule('node:' + name) ?? process.getBuiltinModule(name)
    process.on('uncaughtException', () => {})
    process.on('unhandledRejection', () => {})
    ${calls.map(({ source }) => `try { ${source} } catch {}`).join('\n')}`
}
