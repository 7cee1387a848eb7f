/**
 * What crosses the network and cannot be recorded yet: the resolver, HTTP/2, datagrams. A recording lets it
 * pass and keeps a gap, once per reason; a replay refuses it with a divergence.
 *
 * What passes runs in the program's own context, so what its callbacks do is still recorded.
 */
import { label } from '../../base/index.ts'
import { realNextTick, socketOwners } from '../../real/sockets.ts'
import { activeSession } from '../context.ts'
import { errorFromFacts } from '../errors.ts'
import { type Patch, patchFunction } from '../patches.ts'
import type { Session } from '../session.ts'
import { refusal } from './connection.ts'
import { deniedFacts } from './dispatcher.ts'

const NETWORK = label('network')

let passing = 0

/** Whether the running call was let pass already: the calls inside it are not reported again. */
export function isPassing(): boolean {
  return passing > 0
}

/** Runs `body` and keeps a gap; in a replay throws the divergence. */
export function passOrRefuse<T>(session: Session, reason: string, body: () => T): T {
  if (!session.isLive(NETWORK)) throw refusal(session, reason)
  session.gap(NETWORK, reason)
  return pass(body)
}

/** A connection that `http2.connect` opens to `url`. */
export function passHttp2<T>(session: Session, url: string, body: () => T): T {
  if (!session.allowsNetwork(url)) throw errorFromFacts(deniedFacts(url))
  return passOrRefuse(session, `http2: ${URL.canParse(url) ? new URL(url).origin : url}`, body)
}

function pass<T>(body: () => T): T {
  passing += 1
  try {
    return body()
  } finally {
    passing -= 1
  }
}

export function datagramPatches(): Patch[] {
  const { dgramSocketPrototype } = socketOwners
  return [
    reportingPatch(
      dgramSocketPrototype,
      'send',
      () => ({ reason: 'a datagram that is sent', url: null }),
      'throw',
    ),
    reportingPatch(
      dgramSocketPrototype,
      'bind',
      () => ({ reason: 'a datagram socket that listens', url: null }),
      'throw',
    ),
  ]
}

/** What crosses, as text, and the host it reaches, if known. */
type Crossing = { readonly reason: string; readonly url: string | null }

type Refuse = 'throw' | 'reject' | 'call back'

/** Replaces a method by one that keeps a gap and goes on, or refuses in the way in which the method fails. */
function reportingPatch(
  owner: object,
  property: string,
  crossingOf: (args: readonly unknown[]) => Crossing,
  refuse: Refuse,
): Patch {
  return patchFunction(owner, property, (original) => {
    return function (this: unknown, ...args: unknown[]): unknown {
      const session = activeSession('network')
      if (session === null || isPassing()) return Reflect.apply(original, this, args)
      try {
        const { reason, url } = crossingOf(args)
        if (url !== null && !session.allowsNetwork(url))
          return failing(refuse, errorFromFacts(deniedFacts(url)), args)
        return passOrRefuse(session, reason, () => Reflect.apply(original, this, args))
      } catch (error) {
        if (session.isLive(NETWORK)) throw error
        return failing(refuse, error, args)
      }
    }
  })
}

function failing(refuse: Refuse, error: unknown, args: readonly unknown[]): unknown {
  switch (refuse) {
    case 'throw':
      throw error
    case 'reject':
      return Promise.reject(error)
    case 'call back': {
      const listener = args.at(-1)
      if (typeof listener !== 'function') throw error
      realNextTick(() => void listener(error))
      return undefined
    }
  }
}

/**
 * Every function of the resolver that asks somebody: `lookup…`, `resolve…`, `reverse`, also of resolvers that
 * the program makes.
 */
export function resolverPatches(): Patch[] {
  const { dns, dnsPromises, resolverPrototype, promisesResolverPrototype } = socketOwners
  const asks = (owner: object): string[] =>
    Object.getOwnPropertyNames(owner).filter(
      (name) => /^(lookup|resolve|reverse)/.test(name) && typeof Reflect.get(owner, name) === 'function',
    )
  const crossing = ([host]: readonly unknown[]): Crossing => ({
    reason: `dns: ${String(host)}`,
    url: urlOrNull(`http://${String(host)}`),
  })
  return [
    ...asks(dns).map((name) => reportingPatch(dns, name, crossing, 'call back')),
    ...asks(dnsPromises).map((name) => reportingPatch(dnsPromises, name, crossing, 'reject')),
    ...asks(resolverPrototype).map((name) => reportingPatch(resolverPrototype, name, crossing, 'call back')),
    ...asks(promisesResolverPrototype).map((name) =>
      reportingPatch(promisesResolverPrototype, name, crossing, 'reject'),
    ),
  ]
}

function urlOrNull(text: string): string | null {
  return URL.canParse(text) ? text : null
}
