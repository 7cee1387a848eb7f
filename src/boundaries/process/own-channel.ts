/**
 * The channel to the process that forked this one. Messages from there are inputs: each takes its turn at the
 * gate. What the program sends is compared in a replay, which has no channel and gives the program a
 * stand-in.
 */
import { deserialize, serialize } from 'node:v8'
import { label, textOrNull, utf8 } from '../../base/index.ts'
import { realNextTick } from '../../real/offthread-owners.ts'
import { realProcess } from '../../real/program.ts'
import { callersOf } from '../caller.ts'
import { activeSession, outside } from '../context.ts'
import { type Done, startHeld } from '../held.ts'
import { type AnyFunction, type Patch, patchFunction } from '../patches.ts'
import type { Effect, Outcome, Session } from '../session.ts'

const PROCESS = { boundary: label('process') } as const
const CHANNEL_EVENTS: readonly unknown[] = ['message', 'disconnect']
/** Longer messages are compared by the hash of their scrubbed text. */
const SENT = { ...PROCESS, maxKeyLength: 64 * 1024 } as const

/** Whether this process was started with a channel. */
export function hasOwnChannel(): boolean {
  return typeof Reflect.get(realProcess, 'send') === 'function'
}

export type MessageFollower = {
  /**
   * A listener is being added, or has been removed. `count` is how many the program has then, for both
   * events.
   */
  listeners(event: unknown, count: number): void
  /** An event is being emitted. Returns true if it waits for its turn now. */
  takes(event: unknown, message: unknown, emit: AnyFunction): boolean
}

/** `deliver` emits an event of the channel to the program. */
export function followMessages(
  session: Session,
  deliver: (event: string, ...args: unknown[]) => void,
): MessageFollower {
  let effect: Effect | null = null
  let delivering = false
  let rest = ''

  const emit = (event: string, ...args: unknown[]): void => {
    delivering = true
    try {
      deliver(event, ...args)
    } finally {
      delivering = false
    }
  }
  const receive = (outcome: Outcome): void => {
    if (outcome.type === 'chunk') {
      const lines = (rest + (textOrNull(outcome.bytes) ?? '')).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) emit('message', messageOf(line), undefined)
      return
    }
    effect?.close()
    effect = null
    emit('disconnect')
  }
  return {
    listeners(event, count) {
      if (!CHANNEL_EVENTS.includes(event) || !hasOwnChannel()) return
      if (count > 0) effect ??= session.start(PROCESS.boundary, 'messages', receive)
      else {
        effect?.close()
        effect = null
      }
    },
    takes(event, message, callee) {
      if (effect === null || delivering || !CHANNEL_EVENTS.includes(event)) return false
      if (callersOf(callee, 1)[0] !== 'node:internal/child_process') return false
      if (effect.isLive && event === 'message')
        effect.arrive({ type: 'chunk', bytes: utf8(`${lineOf(message)}\n`) })
      if (effect.isLive && event === 'disconnect') effect.arrive({ type: 'end', trailers: [] })
      return true
    },
  }
}

/** In a recording of a process that has a channel. */
export function ownChannelPatches(): Patch[] {
  if (!hasOwnChannel()) return []
  return [
    patchFunction(realProcess, 'send', (original) => {
      return function (this: unknown, ...args: unknown[]): unknown {
        const session = activeSession('process')
        if (session === null) return Reflect.apply(original, this, args)
        const { sent, callback } = split(args)
        let done: Done | null = null
        const settled = (...results: unknown[]): void => done?.(() => callback?.(...results))
        const returned: unknown = outside(() => Reflect.apply(original, this, [...sent, settled]))
        done = startHeld(session, sendKey(sent[0]), SENT)
        return returned
      }
    }),
  ]
}

/** In a replay of a process that had a channel: the program gets a channel without a peer. */
export function standInChannel(session: Session): Disposable {
  let connected = true
  const values = {
    send(...args: unknown[]): boolean {
      const { sent, callback } = split(args)
      const done = startHeld(session, sendKey(sent[0]), SENT)
      realNextTick(() => done(() => callback?.(null)))
      return true
    },
    disconnect(): void {
      connected = false
    },
    channel: { ref: () => undefined, unref: () => undefined, hasRef: () => true },
  }
  for (const [name, value] of Object.entries(values))
    Object.defineProperty(realProcess, name, { value, writable: true, enumerable: true, configurable: true })
  Object.defineProperty(realProcess, 'connected', {
    get: () => connected,
    enumerable: true,
    configurable: true,
  })
  return {
    [Symbol.dispose]() {
      for (const name of [...Object.keys(values), 'connected']) Reflect.deleteProperty(realProcess, name)
    },
  }
}

function split(args: readonly unknown[]): {
  readonly sent: readonly unknown[]
  readonly callback: AnyFunction | null
} {
  const last = args.at(-1)
  return typeof last === 'function'
    ? { sent: args.slice(0, -1), callback: last as AnyFunction }
    : { sent: args, callback: null }
}

function sendKey(message: unknown): string {
  return `process.send ${lineOf(message)}`
}

const SERIALIZED = 'v8:'

/** A message as one line of text: JSON, or V8's own form for values that need `advanced` serialization. */
function lineOf(message: unknown): string {
  if (isJson(message)) return JSON.stringify(message)
  try {
    return `${SERIALIZED}${serialize(message).toString('base64')}`
  } catch {
    // Node's own `send` throws for it.
    return String(message)
  }
}

function messageOf(line: string): unknown {
  if (!line.startsWith(SERIALIZED)) return JSON.parse(line)
  try {
    return deserialize(Buffer.from(line.slice(SERIALIZED.length), 'base64'))
  } catch {
    // A placeholder replaced a secret: the message cannot be decoded.
    return undefined
  }
}

const MAX_DEPTH = 500

/** Whether JSON represents the value without loss. A value that contains itself is too deep. */
function isJson(value: unknown, depth = 0): boolean {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value !== 'object' || depth > MAX_DEPTH) return false
  const isInner = (inner: unknown): boolean => isJson(inner, depth + 1)
  if (Array.isArray(value)) return value.every(isInner)
  const prototype: unknown = Object.getPrototypeOf(value)
  return (prototype === Object.prototype || prototype === null) && Object.values(value).every(isInner)
}
