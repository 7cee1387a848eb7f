/**
 * Whether an installed package or Node reads the clock, and not the program. Such reads are no part of a
 * foreign tape: the program that recorded it had other libraries, or none.
 *
 * If the program itself is installed below `node_modules`, every read is the program's.
 */
import { callersOf } from '../../../boundaries/caller.ts'
import { isInstalled } from '../../../boundaries/files/whose-file.ts'
import type { AnyFunction } from '../../../boundaries/patches.ts'
import { startedAs } from '../../../real/program.ts'

/** There are fewer frames of ours than this from the patched function to here. */
const FRAMES = 12

const isProgramInstalled = isInstalled(startedAs.argv[1] ?? '')

/** `reader` is a running function of ours: the frames below it are searched. */
export function isReadByPackage(reader: AnyFunction): boolean {
  if (isProgramInstalled) return false
  const files = callersOf(reader, FRAMES)
  const own = ownPlace(files[0] ?? '')
  const caller = files.find((file) => !file.startsWith(own)) ?? ''
  return caller.startsWith('node:') || isInstalled(caller)
}

/** The folder of Reprise's own modules, or the one file that they are bundled into. */
function ownPlace(file: string): string {
  return file.replace(/testbench\/session\/reads\.[jt]s$/, '')
}
