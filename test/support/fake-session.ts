/**
 * A session in memory for tests of boundaries: a recording keeps a list of what crossed, a replay serves that
 * list and throws at the first difference. Outcomes go through the real gate.
 */
import { AsyncResource } from 'node:async_hooks'
import { runInSession } from '../../src/boundaries/context.ts'
import { createGate } from '../../src/boundaries/gate.ts'
import { installPatches, type Patch } from '../../src/boundaries/patches.ts'
import type {
  Answer,
  ClockValue,
  Effect,
  EffectOptions,
  Outcome,
  Session,
} from '../../src/boundaries/session.ts'

export type Crossing =
  | { readonly type: 'clock'; readonly api: string; readonly value: ClockValue }
  | { readonly type: 'random'; readonly api: string; readonly bytes: Uint8Array }
  | { readonly type: 'fact'; readonly api: string; readonly name: string; readonly value: string | null }
  | { readonly type: 'answer'; readonly key: string; readonly answer: Answer }
  | { readonly type: 'start'; readonly id: number; readonly key: string }
  | { readonly type: 'deliver'; readonly id: number; readonly outcome: Outcome }

export type FakeSession = Session & {
  readonly crossings: readonly Crossing[]
  /** The keys of effects that are open, with `ref` of each. */
  open(): readonly (readonly [key: string, ref: boolean])[]
  /** What a replay has not used. */
  left(): readonly Crossing[]
}

type Open = { readonly key: string; ref: boolean; readonly receive: (outcome: Outcome) => void }

export function recordingSession(): FakeSession {
  const crossings: Crossing[] = []
  const queue: { readonly id: number; readonly outcome: Outcome }[] = []
  const open = new Map<number, Open>()
  const gate = createGate(() => {
    const next = queue.shift()
    if (next === undefined) return 'idle'
    const effect = open.get(next.id)
    if (effect !== undefined) {
      crossings.push({ type: 'deliver', ...next })
      effect.receive(next.outcome)
    }
    return queue.length > 0 ? 'more' : 'idle'
  })
  const kept = <T extends Crossing>(crossing: T): T => {
    crossings.push(crossing)
    return crossing
  }
  return {
    isLive: () => true,
    fields: new Map(),
    crossings,
    open: () => [...open.values()].map(({ key, ref }) => [key, ref] as const),
    left: () => [],
    allowsNetwork: () => true,
    note: () => undefined,
    readClock: (api, _source, perform) => kept({ type: 'clock', api, value: perform() }).value,
    readRandom: (api, perform) => kept({ type: 'random', api, bytes: perform() }).bytes,
    readFact: (api, name, perform) => kept({ type: 'fact', api, name, value: perform() }).value,
    answer: (_boundary, key, perform) => kept({ type: 'answer', key, answer: perform() }).answer,
    start(_boundary, key, receive, options) {
      const id = crossings.filter(({ type }) => type === 'start').length + 1
      crossings.push({ type: 'start', id, key })
      return openEffect(open, true, id, key, receive, options, (outcome) => {
        queue.push({ id, outcome })
        gate.wake()
      })
    },
    gap: () => undefined,
  }
}

export function replayingSession(recorded: readonly Crossing[]): FakeSession {
  const crossings: Crossing[] = []
  const open = new Map<number, Open>()
  let at = 0
  let started = 0
  const gate = createGate(() => {
    const next = recorded[at]
    if (next?.type !== 'deliver') return 'idle'
    const effect = open.get(next.id)
    if (effect === undefined) throw new Error(`nothing waits for ${JSON.stringify(next)}`)
    at += 1
    crossings.push(next)
    effect.receive(next.outcome)
    return recorded[at]?.type === 'deliver' ? 'more' : 'idle'
  })
  const take = <K extends Crossing['type']>(
    type: K,
    ...names: readonly string[]
  ): Extract<Crossing, { type: K }> => {
    const next = recorded[at]
    const found =
      next !== undefined && 'api' in next
        ? [next.api, ...('name' in next ? [next.name] : [])]
        : next !== undefined && 'key' in next
          ? [next.key]
          : []
    if (next?.type !== type || found.join(' ') !== names.join(' ')) {
      throw new Error(
        `replay: expected ${JSON.stringify(next?.type)} ${found.join(' ')}, got ${type} ${names.join(' ')}`,
      )
    }
    at += 1
    crossings.push(next)
    if (recorded[at]?.type === 'deliver') gate.wake()
    return next as Extract<Crossing, { type: K }>
  }
  return {
    isLive: () => false,
    fields: new Map(),
    crossings,
    open: () => [...open.values()].map(({ key, ref }) => [key, ref] as const),
    left: () => recorded.slice(at),
    allowsNetwork: () => true,
    note: () => undefined,
    readClock: (api) => take('clock', api).value,
    readRandom: (api) => take('random', api).bytes,
    readFact: (api, name) => take('fact', api, name).value,
    answer: (_boundary, key) => take('answer', key).answer,
    start(_boundary, key, receive, options) {
      take('start', key)
      started += 1
      return openEffect(open, false, started, key, receive, options, () => {
        throw new Error('nothing arrives from the world in a replay')
      })
    },
    gap: () => undefined,
  }
}

function openEffect(
  open: Map<number, Open>,
  isLive: boolean,
  id: number,
  key: string,
  receive: (outcome: Outcome) => void,
  options: EffectOptions = {},
  arrive: (outcome: Outcome) => void,
): Effect {
  const effect: Open = { key, ref: options.ref ?? true, receive: AsyncResource.bind(receive) }
  open.set(id, effect)
  return {
    id,
    isLive,
    arrive,
    dropWaiting: () => undefined,
    close: () => void open.delete(id),
    setRef: (ref) => {
      effect.ref = ref
    },
    ...(options.child === undefined
      ? {}
      : {
          child: {
            pid: options.child.pid ?? 4711,
            errno: options.child.errno,
            send: () => null,
            sendEnd: () => undefined,
          },
        }),
  }
}

/**
 * Records `program`, replays it, and gives both results with what crossed. The patches are installed for just
 * that long.
 */
export async function recordAndReplay<T>(
  patches: readonly Patch[],
  program: () => T | Promise<T>,
): Promise<Runs<Awaited<T>>> {
  using _installed = installPatches(patches)
  const recording = recordingSession()
  const recorded = await runInSession(recording, program)
  const replaying = replayingSession(recording.crossings)
  const replayed = await runInSession(replaying, program)
  return { recorded, replayed, crossings: recording.crossings, left: replaying.left() }
}

export type Runs<T> = {
  readonly recorded: T
  readonly replayed: T
  readonly crossings: readonly Crossing[]
  readonly left: readonly Crossing[]
}

/** Short names of what crossed: `clock Date.now`, `start setTimeout 10`, `deliver 1`. */
export function names(crossings: readonly Crossing[]): string[] {
  return crossings.map((crossing) => {
    if (crossing.type === 'start' || crossing.type === 'answer') return `${crossing.type} ${crossing.key}`
    if (crossing.type === 'deliver') return `deliver ${crossing.id}`
    return crossing.type === 'fact' ? `fact ${crossing.name}` : `${crossing.type} ${crossing.api}`
  })
}
