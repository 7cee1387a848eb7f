/**
 * The identity of a process, and whether a process with a given identity still runs. Locks name their holder
 * by it.
 *
 * A pid alone does not identify a process, because pids are used again: the start time must match too. Linux
 * has the start time and the boot id in /proc; elsewhere `ps` and `sysctl` print them.
 *
 * `presenceOf` returns `gone` only if that is certain, because a caller then removes the lock:
 * - no process has this pid, or the process with this pid started at another time: gone;
 * - the machine was restarted (Linux): gone. Elsewhere the boot time moves when the clock is set, so it
 *   proves nothing;
 * - a zombie: gone, unless another of its threads still runs, which may be inside a write;
 * - the process belongs to another user (EPERM), or /proc hides it: here;
 * - another host or another pid namespace: elsewhere, nothing is known about its process.
 */
import childProcess from 'node:child_process'
import os from 'node:os'
import { basename } from 'node:path'
import { fs } from './fs.ts'

const { readdirSync, readFileSync, readlinkSync, statSync } = fs
const { hostname } = os
const kill = process.kill.bind(process)
const isLinux = process.platform === 'linux'
// Not read on Linux, which has /proc: reading it would load node:child_process and node:net into every
// recorded program.
const execFileSync = isLinux ? null : childProcess.execFileSync

export type ProcessIdentity = {
  readonly pid: number
  /** In clock ticks since boot (Linux), or as `ps` prints it; empty where it is not known. */
  readonly started: string
  readonly boot: string
  readonly host: string
  /** The pid namespace: two containers on one machine count pids separately. */
  readonly space: string
}

export type Presence = 'here' | 'gone' | 'elsewhere'

let own: ProcessIdentity | null = null

export function ownIdentity(): ProcessIdentity {
  own ??= {
    pid: process.pid,
    started: startOf(process.pid),
    boot: bootId(),
    host: hostname(),
    space: pidSpace(),
  }
  return own
}

/** `self` is the identity of this process, in the same form as the other: a caller may have stored hashes. */
export function presenceOf(other: ProcessIdentity, self: ProcessIdentity = ownIdentity()): Presence {
  if (other.host !== self.host) return 'elsewhere'
  if (isLinux && other.boot !== self.boot) return 'gone'
  if (other.space !== self.space) return 'elsewhere'
  if (!isAlive(other.pid)) return 'gone'
  const started = other.started === '' ? '' : startOf(other.pid)
  return started === '' || started === other.started ? 'here' : 'gone'
}

/** False for a process that has ended, also while it waits for its parent to reap it. */
export function isAlive(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false
  try {
    kill(pid, 0)
  } catch (error) {
    // EPERM: it exists and belongs to another user.
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH')
  }
  const stat = statFields(pid)
  const hasEnded = stat?.[0] === 'Z' || stat?.[0] === 'X'
  return !(hasEnded && Number(stat[17]) <= 1)
}

/**
 * Whether a process has this file open: how a lock is judged whose text does not name its holder. `unknown`
 * where there is no /proc, or where the file belongs to another user, whose processes this one cannot
 * inspect. A process in another container or on another machine is not seen.
 */
export function openedBy(path: string): 'some' | 'none' | 'unknown' {
  if (!isLinux || process.getuid === undefined) return 'unknown'
  const file = statSync(path, { throwIfNoEntry: false })
  if (file === undefined) return 'none'
  if (file.uid !== process.getuid()) return 'unknown'
  const name = basename(path)
  for (const pid of entriesOf('/proc')) {
    if (!/^\d+$/.test(pid)) continue
    for (const fd of entriesOf(`/proc/${pid}/fd`)) {
      if (isSameFile(`/proc/${pid}/fd/${fd}`, name, file)) return 'some'
    }
  }
  return 'none'
}

/** Empty where it cannot be read: a process of another user, or one that has just ended. */
function entriesOf(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    // Not ours, or gone by now: neither has a file of this user open.
    return []
  }
}

/** The name is compared first: `stat` on the descriptor of a file on a dead network drive does not return. */
function isSameFile(
  descriptor: string,
  name: string,
  file: { readonly dev: number; readonly ino: number },
): boolean {
  try {
    if (basename(readlinkSync(descriptor)) !== name) return false
    const open = statSync(descriptor)
    return open.dev === file.dev && open.ino === file.ino
  } catch {
    // Closed in the meantime.
    return false
  }
}

/**
 * The fields of /proc/<pid>/stat after the name, the state first. Null where there is no such process or no
 * /proc.
 */
export function statFields(pid: number): readonly string[] | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // The name is in parentheses and may hold anything, so the fields begin after the last one.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    return fields.length < 20 ? null : fields
  } catch {
    // The process has ended, or it is hidden, or this is not Linux: callers know each of these.
    return null
  }
}

/** Empty where the system does not provide it. */
function startOf(pid: number): string {
  return isLinux ? (statFields(pid)?.[19] ?? '') : outputOf('ps', ['-p', String(pid), '-o', 'lstart='])
}

function bootId(): string {
  if (!isLinux) return outputOf('sysctl', ['-n', 'kern.boottime'])
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  } catch {
    // No /proc: every boot looks the same, and pid and start time decide.
    return ''
  }
}

function pidSpace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid')
  } catch {
    // Not Linux: there is one namespace.
    return ''
  }
}

function outputOf(program: string, args: readonly string[]): string {
  if (execFileSync === null) return ''
  try {
    return execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  } catch {
    // The program is missing, or it knows no such process: not known.
    return ''
  }
}
