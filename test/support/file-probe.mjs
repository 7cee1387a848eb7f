/**
 * Loaded with `--import` before Reprise: logs each read of a file whose name ends in `.tape`, with its size,
 * and the name of each file that is created or written. The log is REPRISE_TEST_PROBE.
 */
import fs from 'node:fs'

const { openSync, readSync, writeSync, closeSync, writeFileSync } = fs
const log =
  process.env.REPRISE_TEST_PROBE === undefined ? null : openSync(process.env.REPRISE_TEST_PROBE, 'a')
const tapes = new Set()
const { O_WRONLY, O_RDWR, O_CREAT } = fs.constants

const isWriting = (flags) =>
  typeof flags === 'number' ? (flags & (O_WRONLY | O_RDWR | O_CREAT)) !== 0 : /[wa+]/.test(flags ?? 'r')

if (log !== null) {
  fs.openSync = (path, flags, mode) => {
    const descriptor = openSync(path, flags, mode)
    if (isWriting(flags)) writeSync(log, `write ${path}\n`)
    else if (String(path).endsWith('.tape')) tapes.add(descriptor)
    return descriptor
  }
  fs.writeFileSync = (path, ...rest) => {
    writeSync(log, `write ${path}\n`)
    return writeFileSync(path, ...rest)
  }
  fs.readSync = (descriptor, ...rest) => {
    const bytes = readSync(descriptor, ...rest)
    if (tapes.has(descriptor)) writeSync(log, `read ${bytes}\n`)
    return bytes
  }
  fs.closeSync = (descriptor) => {
    tapes.delete(descriptor)
    closeSync(descriptor)
  }
}
