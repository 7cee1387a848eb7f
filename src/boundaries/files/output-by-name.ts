/**
 * `/dev/stdout` and `/dev/stderr`, and their descriptors: bytes that file calls write to them go out in both
 * modes, and are reported to the watcher of the output, once. Node's own calls for whole files may use its
 * calls for descriptors, which report too, or bypass them.
 */
import type { AnyFunction } from '../patches.ts'
import {
  isOutputRecordedWhole,
  noteDescriptorWrite,
  noteOutputOpened,
  noteReportedOpened,
  throughStream,
} from '../stdio/written-by-descriptor.ts'
import type { Call } from './calls.ts'

/** A synchronous call, or one that returns a promise and whose writes are not visible elsewhere. */
export function outputAtOnce(call: Call, output: 1 | 2, perform: () => unknown): unknown {
  if (call.name === 'open') {
    const fd = perform()
    noteOutputOpened(Number(fd), output)
    return fd
  }
  noteDescriptorWrite(output, call.sent?.(NOTHING, 0) ?? NOTHING)
  return throughStream(perform)
}

/**
 * A call with a callback. With a descriptor it uses calls that report themselves; with a name only in some
 * versions of Node.
 */
export function outputLater(
  call: Call,
  output: 1 | 2,
  callback: AnyFunction,
  perform: (callback: AnyFunction) => unknown,
): unknown {
  if (call.name !== 'open')
    return typeof call.args[0] === 'number'
      ? perform(callback)
      : outputAtOnce(call, output, () => perform(callback))
  const isReported = isOutputRecordedWhole()
  return perform((error: Error | null, fd: unknown) => {
    if (error === null && isReported) noteReportedOpened(Number(fd))
    else if (error === null) noteOutputOpened(Number(fd), output)
    callback(error, fd)
  })
}

const NOTHING = new Uint8Array()
