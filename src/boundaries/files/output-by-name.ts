/**
 * `/dev/stdout` and `/dev/stderr`, and their descriptors: what is written to them by calls for files goes out in both modes, and is told to whoever
 * watches the output, once. Node's own calls for whole files may go by its calls for descriptors, which tell too, or past them.
 */
import type { AnyFunction } from '../patches.ts'
import { isToldWhole, noteDescriptorWrite, noteOutputOpened, throughStream } from '../stdio/written-by-descriptor.ts'
import type { Call } from './calls.ts'

/** A synchronous call, or one that gives a promise and whose writes nobody else can see. */
export function outputAtOnce(call: Call, output: 1 | 2, perform: () => unknown): unknown {
  if (call.name === 'open') {
    const fd = perform()
    noteOutputOpened(Number(fd), output)
    return fd
  }
  noteDescriptorWrite(output, call.sent?.(NOTHING, 0) ?? NOTHING)
  return throughStream(perform)
}

/** A call with a callback. By a descriptor it goes by calls that tell by themselves; by a name only in some versions of Node. */
export function outputLater(call: Call, output: 1 | 2, callback: AnyFunction, perform: (callback: AnyFunction) => unknown): unknown {
  if (call.name !== 'open') return typeof call.args[0] === 'number' ? perform(callback) : outputAtOnce(call, output, () => perform(callback))
  if (isToldWhole()) return perform(callback)
  return perform((error: Error | null, fd: unknown) => {
    if (error === null) noteOutputOpened(Number(fd), output)
    callback(error, fd)
  })
}

const NOTHING = new Uint8Array()
