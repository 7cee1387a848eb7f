/**
 * Messages between ports of one thread: `MessageChannel`, and `BroadcastChannel`, whose channels contain
 * ports. Each message, and each `close`, takes its turn in both modes: only its position counts. It is really
 * posted, and held back where Node delivers it to the receiving port.
 *
 * A port that is sent to another thread is not tracked: that is a gap.
 */
import { label, Queue } from '../../base/index.ts'
import { offthreadOwners, portDispatch, receivingPorts } from '../../real/offthread-owners.ts'
import { activeSession } from '../context.ts'
import { startHeld } from '../held.ts'
import { type AnyFunction, type Patch, patchFunction } from '../patches.ts'
import type { Session } from '../session.ts'
import {
  closedPort,
  forgetPort,
  handleOf,
  isFollowed,
  joinGroup,
  pairPorts,
  targetsOf,
} from './ports-of-thread.ts'

type Waiting = {
  readonly done: ReturnType<typeof startHeld>
  held: { readonly message: unknown } | null
  isReceived: boolean
}

/** Messages on their way to a port. Those that Node has dispatched, and we hold back, are the older ones. */
type OnTheWay = { readonly posted: Queue<Waiting>; readonly held: Queue<Waiting> }

const messages = new WeakMap<object, OnTheWay>()
const closings = new WeakMap<object, ReturnType<typeof startHeld>>()

export function messagePortPatches(): Patch[] {
  const { messagePortPrototype, workerThreads, globals } = offthreadOwners
  return [
    ...['MessageChannel', 'BroadcastChannel'].flatMap((name) => {
      const made = noting(Reflect.get(workerThreads, name), name === 'MessageChannel' ? pairPorts : joinGroup)
      return [workerThreads, globals].map((owner) => replacing(owner, name, made))
    }),
    patchFunction(messagePortPrototype, 'postMessage', postMessage),
    patchFunction(messagePortPrototype, 'close', close),
    patchFunction(messagePortPrototype, portDispatch, dispatch),
    patchFunction(workerThreads, 'receiveMessageOnPort', receiveMessageOnPort),
  ]
}

/** On globalThis some Nodes have an accessor, which returns the class of the module. */
function replacing(owner: object, property: string, value: AnyFunction): Patch {
  return {
    owner,
    property,
    replace: ({ enumerable = false }) => ({ configurable: true, writable: true, enumerable, value }),
  }
}

function noting(original: AnyFunction, note: (made: object) => void): AnyFunction {
  return new Proxy(original, {
    construct(target, args, newTarget) {
      const made: object = Reflect.construct(target, args, newTarget)
      if (activeSession('offthread') !== null) note(made)
      return made
    },
  })
}

function postMessage(original: AnyFunction): AnyFunction {
  return function (this: object, ...args: unknown[]): unknown {
    const session = activeSession('offthread')
    const posted: unknown = Reflect.apply(original, this, args)
    if (session === null) return posted
    noteTransfers(session, args[1])
    for (const target of targetsOf(this)) {
      const waiting: Waiting = {
        done: startHeld(session, 'MessagePort.postMessage', { ref: false }),
        held: null,
        isReceived: false,
      }
      const onTheWay = messages.get(target)
      if (onTheWay !== undefined) onTheWay.posted.push(waiting)
      else {
        const posted = new Queue<Waiting>()
        posted.push(waiting)
        messages.set(target, { posted, held: new Queue() })
      }
    }
    return posted
  }
}

function noteTransfers(session: Session, transfer: unknown): void {
  const listed: unknown =
    typeof transfer === 'object' && transfer !== null && 'transfer' in transfer ? transfer.transfer : transfer
  if (!Array.isArray(listed)) return
  for (const sent of listed) {
    if (!isFollowed(sent)) continue
    forgetPort(sent)
    session.gap(
      label('worker'),
      'a message port was sent through another: what passes through it is not recorded',
    )
  }
}

function dispatch(original: AnyFunction): AnyFunction {
  return function (this: object, ...args: unknown[]): unknown {
    const [message, type] = args
    const ports: unknown = Reflect.get(this, receivingPorts)
    const deliver = (): void => {
      // Node sets these for the time of the call.
      Reflect.set(this, receivingPorts, ports)
      try {
        Reflect.apply(original, this, args)
      } finally {
        Reflect.set(this, receivingPorts, undefined)
      }
    }
    if (type === 'close') {
      const closing = closings.get(this)
      closings.delete(this)
      return closing === undefined ? Reflect.apply(original, this, args) : closing(deliver)
    }
    const onTheWay = messages.get(this)
    const waiting = onTheWay === undefined ? undefined : firstOf(onTheWay.posted)
    if (onTheWay === undefined || waiting === undefined || (type !== 'message' && type !== 'messageerror'))
      return Reflect.apply(original, this, args)
    onTheWay.posted.shift()
    onTheWay.held.push(waiting)
    waiting.held = { message }
    waiting.done(() => {
      waiting.isReceived = true
      // Without this, a port that only receives events would keep all of its messages.
      firstOf(onTheWay.held)
      deliver()
    })
    return undefined
  }
}

function close(original: AnyFunction): AnyFunction {
  return function (this: object, ...args: unknown[]): unknown {
    const session = activeSession('offthread')
    const ends = session === null ? [] : closedPort(this)
    const closed: unknown = Reflect.apply(original, this, args)
    if (session === null) return closed
    for (const end of ends) closings.set(end, startHeld(session, 'MessagePort.close', { ref: false }))
    // Messages on their way to a port that closes itself are lost, as in plain Node.
    const onTheWay = messages.get(this)
    if (onTheWay !== undefined)
      for (const queue of [onTheWay.held, onTheWay.posted])
        for (const { done, isReceived } of queue) if (!isReceived) done.drop()
    messages.delete(this)
    return closed
  }
}

/** The message that we hold back is the oldest one that the program has not received. */
function receiveMessageOnPort(original: AnyFunction): AnyFunction {
  return function (this: unknown, ...args: unknown[]): unknown {
    const port = handleOf(args[0])
    const onTheWay = port === null ? undefined : messages.get(port)
    const first = onTheWay === undefined ? undefined : (firstOf(onTheWay.held) ?? firstOf(onTheWay.posted))
    if (first === undefined) return Reflect.apply(original, this, args)
    const received: unknown =
      first.held === null ? Reflect.apply(original, this, args) : { message: first.held.message }
    if (received !== undefined) {
      first.done.drop()
      first.isReceived = true
    }
    return received
  }
}

/** The oldest message that the program has not received. */
function firstOf(queue: Queue<Waiting>): Waiting | undefined {
  while (queue.peek()?.isReceived === true) queue.shift()
  return queue.peek()
}
