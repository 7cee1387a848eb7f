/**
 * Which process this is, so that another one can tell later whether it is still there: a pid alone does not say, because pids come back. Linux gives
 * the start time and the boot id in /proc; elsewhere `ps` and `sysctl` tell them.
 *
 * `presenceOf` says `gone` only when it is certain. A process of another machine or another pid namespace is `elsewhere`: nothing can be said of it.
 */
import childProcess from 'node:child_process'
import nodeFs from 'node:fs'
import os from 'node:os'

const { readFileSync, readlinkSync } = nodeFs
const { execFileSync } = childProcess
const { hostname } = os
const kill = process.kill.bind(process)

export type ProcessIdentity = {
  readonly pid: number
  readonly started: string
  readonly boot: string
  readonly host: string
  /** The pid namespace: two containers on one machine count pids separately. */
  readonly space: string
}

let own: ProcessIdentity | null = null

export function ownIdentity(): ProcessIdentity {
  own ??= { pid: process.pid, started: startOf(process.pid) ?? '', boot: bootId(), host: hostname(), space: pidSpace() }
  return own
}

export function presenceOf(other: ProcessIdentity): 'here' | 'gone' | 'elsewhere' {
  const me = ownIdentity()
  if (other.host !== me.host) return 'elsewhere'
  // This machine under another boot id: it has been restarted since, and nothing survives that.
  if (other.boot !== me.boot) return 'gone'
  if (other.space !== me.space) return 'elsewhere'
  if (!answers(other.pid)) return 'gone'
  const started = startOf(other.pid)
  if (started === 'dead') return 'gone'
  // Hidden from us (hidepid) but answering: it may be the one.
  return started === null || started === other.started ? 'here' : 'gone'
}

function answers(pid: number): boolean {
  try {
    kill(pid, 0)
    return true
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH')
  }
}

/** The start time as the system spells it; null if it does not tell; `dead` for a process that has ended and only waits to be reaped. */
function startOf(pid: number): string | null {
  try {
    if (process.platform !== 'linux') return execFileSync('ps', ['-p', String(pid), '-o', 'lstart='], { encoding: 'utf8' }).trim() || null
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name, in parentheses, may hold anything; the fields start after the last one.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return fields[0] === 'Z' || fields[0] === 'X' ? 'dead' : (fields[19] ?? null)
  } catch {
    // Not to be read, or gone between two looks: `answers` decides.
    return null
  }
}

function bootId(): string {
  try {
    if (process.platform === 'linux') return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    return execFileSync('sysctl', ['-n', 'kern.boottime'], { encoding: 'utf8' }).trim()
  } catch {
    // Then every boot looks the same, and only pid and start time tell.
    return ''
  }
}

function pidSpace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid')
  } catch {
    return ''
  }
}
