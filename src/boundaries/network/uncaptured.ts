/**
 * What crosses the network and cannot be recorded yet: sockets that a program connects by hand, the resolver, HTTP/2, datagrams, servers. A recording
 * lets it pass and keeps a gap, once per reason; a replay refuses it with a divergence.
 *
 * What passes runs in the program's own context, so what its callbacks do is still recorded.
 */
import { label } from '../../base/index.ts'
import { realNextTick, socketOwners } from '../../real/sockets.ts'
import { activeSession } from '../context.ts'
import { type Patch, patchFunction } from '../patches.ts'
import type { Session } from '../session.ts'
import { refusal } from './connection.ts'

let passing = 0

/** Whether the running call was let pass already: what it does in turn is no crossing of its own. */
export function isPassing(): boolean {
  return passing > 0
}

/** Runs `body` and keeps a gap; in a replay throws the divergence. */
export function passOrRefuse<T>(session: Session, reason: string, body: () => T): T {
  if (session.mode === 'replay') throw refusal(session, reason)
  session.gap(label('network'), reason)
  return pass(body)
}

function pass<T>(body: () => T): T {
  passing += 1
  try {
    return body()
  } finally {
    passing -= 1
  }
}

export function uncapturedPatches(): Patch[] {
  const { http2, socketPrototype, serverPrototype, dgramSocketPrototype } = socketOwners
  return [
    telling(socketPrototype, 'connect', () => 'a connection that is no HTTP/1', 'destroy'),
    telling(serverPrototype, 'listen', () => 'a server that listens', 'emit error'),
    telling(http2, 'connect', ([authority]) => `http2: ${originOf(authority)}`, 'throw'),
    telling(dgramSocketPrototype, 'send', () => 'a datagram that is sent', 'throw'),
    telling(dgramSocketPrototype, 'bind', () => 'a datagram socket that listens', 'throw'),
    ...resolverPatches(),
  ]
}

type Refuse = 'throw' | 'reject' | 'destroy' | 'emit error' | 'call back'

/** Replaces a method by one that keeps a gap and goes on, or refuses in the way in which the method fails. */
function telling(owner: object, property: string, reasonOf: (args: readonly unknown[]) => string, refuse: Refuse): Patch {
  return patchFunction(owner, property, (original) => {
    return function (this: unknown, ...args: unknown[]): unknown {
      const session = activeSession()
      if (session === null || isPassing()) return Reflect.apply(original, this, args)
      try {
        return passOrRefuse(session, reasonOf(args), () => Reflect.apply(original, this, args))
      } catch (error) {
        if (session.mode === 'record' || refuse === 'throw') throw error
        return failing(refuse, error, this, args)
      }
    }
  })
}

function failing(refuse: Exclude<Refuse, 'throw'>, error: unknown, target: unknown, args: readonly unknown[]): unknown {
  switch (refuse) {
    case 'reject':
      return Promise.reject(error)
    case 'destroy':
      call(target, 'destroy', error)
      return target
    case 'emit error':
      realNextTick(() => call(target, 'emit', 'error', error))
      return target
    case 'call back': {
      const listener = args.at(-1)
      if (typeof listener !== 'function') throw error
      realNextTick(() => void listener(error))
      return undefined
    }
  }
}

function call(target: unknown, method: string, ...args: readonly unknown[]): void {
  const found: unknown = Reflect.get(Object(target), method)
  if (typeof found === 'function') Reflect.apply(found, target, args)
}

/** Every function of the resolver that asks somebody; `lookupService` and all of `resolve…`, `reverse`. */
function resolverPatches(): Patch[] {
  const { dns, dnsPromises } = socketOwners
  const asks = (owner: object): string[] =>
    Object.keys(owner).filter((name) => /^(lookup|resolve|reverse)/.test(name) && typeof Reflect.get(owner, name) === 'function')
  const reason = ([host]: readonly unknown[]): string => `dns: ${String(host)}`
  return [
    ...asks(dns).map((name) => telling(dns, name, reason, 'call back')),
    ...asks(dnsPromises).map((name) => telling(dnsPromises, name, reason, 'reject')),
  ]
}

function originOf(authority: unknown): string {
  const text = String(authority)
  return URL.canParse(text) ? new URL(text).origin : text
}
