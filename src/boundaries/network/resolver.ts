/**
 * The resolver: `lookup`, `lookupService`, `resolve…` and `reverse` of `node:dns` and `node:dns/promises`,
 * also of resolvers that the program creates. Name and options are the match key; the answer is one chunk of
 * JSON. A replay sends no query.
 *
 * Calls that Node answers or rejects without a query (an address instead of a name, a wrong argument) are
 * left to Node in every mode.
 *
 * Decision 0375.
 */
import { label, parseJson, textOrNull } from '../../base/index.ts'
import { isIp, realNextTick, socketOwners } from '../../real/sockets.ts'
import { activeSession, outside } from '../context.ts'
import { errorFacts, errorFromFacts } from '../errors.ts'
import { type AnyFunction, type Patch, patchFunction } from '../patches.ts'
import type { Session } from '../session.ts'
import { deniedFacts } from './dispatcher.ts'

const NETWORK = label('network')
const SERVERS = label('dns.getServers')
const RECORD_TYPES = new Set('A AAAA ANY CAA CNAME MX NAPTR NS PTR SOA SRV TLSA TXT'.split(' '))

/** Results as a callback gets them: `[address, family]`, `[records]`. */
type Settle = (error: Error | null, results: readonly unknown[]) => void

export function resolverPatches(): Patch[] {
  const { dns, dnsPromises, resolverPrototype, promisesResolverPrototype } = socketOwners
  const withCallback = [dns, resolverPrototype]
  const withPromise = [dnsPromises, promisesResolverPrototype]
  return [
    ...withCallback.flatMap((owner) =>
      questions(owner).map((name) => patchFunction(owner, name, calledBack(name))),
    ),
    ...withPromise.flatMap((owner) =>
      questions(owner).map((name) => patchFunction(owner, name, promised(name))),
    ),
    ...[...withCallback, ...withPromise].flatMap((owner) => [
      patchFunction(owner, 'getServers', getServers),
      ...settings(owner).map((name) => patchFunction(owner, name, setting(name))),
    ]),
  ]
}

function questions(owner: object): string[] {
  return Object.getOwnPropertyNames(owner).filter(
    (name) => /^(lookup|resolve|reverse)/.test(name) && typeof Reflect.get(owner, name) === 'function',
  )
}

/** What decides whom later questions go to, and in which order answers come. */
function settings(owner: object): string[] {
  return ['setServers', 'setLocalAddress', 'setDefaultResultOrder'].filter(
    (name) => typeof Reflect.get(owner, name) === 'function',
  )
}

/** Applied in every mode: it changes this process only. On the tape it is a call, so that another one counts. */
function setting(name: string): (original: AnyFunction) => AnyFunction {
  const api = label(`dns.${name}`)
  return (original) =>
    function (this: unknown, ...args: unknown[]): unknown {
      const result: unknown = Reflect.apply(original, this, args)
      activeSession('network')?.readFact(api, JSON.stringify(args), () => '{}')
      return result
    }
}

function calledBack(name: string): (original: AnyFunction) => AnyFunction {
  return (original) =>
    function (this: unknown, ...args: unknown[]): unknown {
      const session = activeSession('network')
      const at = args.findLastIndex((argument) => typeof argument === 'function')
      const callback = args[at] as AnyFunction
      const asked = args.slice(0, Math.max(0, at))
      if (session === null || at < 1 || !isQuestion(name, asked)) return Reflect.apply(original, this, args)
      const ask = (question: readonly unknown[], done: AnyFunction): unknown =>
        outside(() => Reflect.apply(original, this, [...question, done]))
      checkOptions(name, asked, (question) => ask(question, () => undefined))
      question(
        session,
        name,
        asked,
        (settle) => ask(asked, (error: Error | null, ...results: unknown[]) => settle(error, results)),
        (error, results) => (error === null ? callback(null, ...results) : callback(error)),
      )
      // Node's query object has nothing that a program could use.
      return {}
    }
}

function promised(name: string): (original: AnyFunction) => AnyFunction {
  return (original) =>
    function (this: unknown, ...args: unknown[]): unknown {
      const session = activeSession('network')
      if (session === null || !isQuestion(name, args)) return Reflect.apply(original, this, args)
      const ask = (asked: readonly unknown[]): Promise<unknown> =>
        outside(() => Reflect.apply(original, this, asked))
      checkOptions(name, args, ask)
      return new Promise((resolve, reject) => {
        question(
          session,
          name,
          args,
          (settle) =>
            void ask(args).then(
              (result) => settle(null, [result]),
              (error: unknown) => settle(error instanceof Error ? error : new Error(String(error)), []),
            ),
          (error, [result]) => (error === null ? resolve(result) : reject(error)),
        )
      })
    }
}

/** Sends the query, or reads the answer from a tape. Throws the divergence if the tape has no such query. */
function question(
  session: Session,
  name: string,
  asked: readonly unknown[],
  ask: (settle: Settle) => void,
  settle: Settle,
): void {
  const url = `http://${String(asked[0])}`
  if (URL.canParse(url) && !session.allowsNetwork(url)) {
    realNextTick(() => settle(errorFromFacts(deniedFacts(url)), []))
    return
  }
  const effect = session.start(NETWORK, `dns.${name} ${JSON.stringify(asked)}`, (outcome) => {
    effect.close()
    if (outcome.type === 'chunk') settle(null, resultsFrom(outcome.bytes))
    else if (outcome.type === 'error') settle(errorFromFacts(outcome.error), [])
    else throw new Error(`the resolver cannot receive ${outcome.type}`)
  })
  if (!effect.isLive) return
  ask((error, results) => {
    if (error === null) effect.arrive({ type: 'chunk', bytes: bytesFrom(results) })
    else effect.arrive({ type: 'error', error: errorFacts(error) })
  })
}

/** Whether a query must be sent. Node answers or rejects everything else on its own. */
function isQuestion(name: string, [host, second]: readonly unknown[]): boolean {
  if (typeof host !== 'string') return false
  switch (name) {
    case 'lookup':
      return host !== '' && !isIp(host)
    case 'lookupService':
      return isIp(host) && isPort(second)
    case 'reverse':
      return isIp(host)
    case 'resolve':
      return second === undefined || (typeof second === 'string' && RECORD_TYPES.has(second))
    default:
      return true
  }
}

function isPort(value: unknown): boolean {
  const port = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  return typeof port === 'number' && Number.isInteger(port) && port >= 0 && port <= 65_535
}

/** Node checks the options of a lookup before the name: for an address it sends no query. */
function checkOptions(
  name: string,
  asked: readonly unknown[],
  ask: (asked: readonly unknown[]) => unknown,
): void {
  if (name === 'lookup' && asked.length > 1) void ask(['127.0.0.1', ...asked.slice(1)])
}

/** The addresses of the machine's resolvers, which a replay does not have. */
function getServers(original: AnyFunction): AnyFunction {
  return function (this: unknown, ...args: unknown[]): unknown {
    const perform = (): unknown => Reflect.apply(original, this, args)
    const session = activeSession('network')
    if (session === null) return perform()
    const text = session.readFact(SERVERS, SERVERS, () => JSON.stringify(perform()))
    return text === null ? [] : parseJson(text)
  }
}

/** The only value that JSON cannot represent is the `data` of a TLSA record. */
function bytesFrom(results: readonly unknown[]): Uint8Array {
  const text = JSON.stringify(results, (_key, value: unknown) =>
    value instanceof ArrayBuffer ? { base64: Buffer.from(value).toString('base64') } : value,
  )
  return Buffer.from(`${text}\n`)
}

function resultsFrom(bytes: Uint8Array): readonly unknown[] {
  const results = parseJson(textOrNull(bytes) ?? '[]')
  return Array.isArray(results) ? results.map(withBytes) : []
}

function withBytes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withBytes)
  if (typeof value !== 'object' || value === null) return value
  const { data } = value as { readonly data?: unknown }
  if (typeof data !== 'object' || data === null || !('base64' in data)) return value
  const bytes = Buffer.from(String(data.base64), 'base64')
  return { ...value, data: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) }
}
