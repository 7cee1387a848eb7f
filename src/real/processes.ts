/**
 * Who this process is, and whether another one still lives: pid and start time, because pids are used again; boot id and pid namespace, because a
 * pid means nothing on another machine or in another container.
 */
import nodeFs from 'node:fs'
import os from 'node:os'
import { realPid } from './process.ts'

const { readFileSync, readlinkSync } = nodeFs
const { hostname } = os
const kill = process.kill.bind(process)

export type ProcessFacts = {
  readonly host: string
  /** Empty where the operating system does not say. */
  readonly boot: string
  readonly namespace: string
  readonly pid: number
  /** Clock ticks since boot; empty where the operating system does not say. */
  readonly start: string
}

export function thisProcess(): ProcessFacts {
  own ??= {
    host: hostname(),
    boot: readOr('/proc/sys/kernel/random/boot_id'),
    namespace: pidNamespace(),
    pid: realPid,
    start: statOf(realPid)?.start ?? '',
  }
  return own
}

let own: ProcessFacts | null = null

/** `unknown`: on another machine or in another container, so nobody here can tell. */
export function livenessOf(other: ProcessFacts): 'alive' | 'dead' | 'unknown' {
  const self = thisProcess()
  if (other.host !== self.host) return 'unknown'
  if (other.boot !== self.boot) return 'dead'
  if (other.namespace !== self.namespace) return 'unknown'
  const stat = statOf(other.pid)
  if (stat === null) return self.start !== '' || !answersSignal(other.pid) ? 'dead' : 'alive'
  if (other.start !== '' && stat.start !== other.start) return 'dead'
  // A killed process whose parent has not looked is a zombie. Its last thread may still be inside a write, so the others must be gone too.
  return (stat.state === 'Z' || stat.state === 'X') && stat.threads <= 1 ? 'dead' : 'alive'
}

function statOf(pid: number): { readonly state: string; readonly threads: number; readonly start: string } | null {
  const text = readOr(`/proc/${pid}/stat`)
  // The name in parentheses may hold anything, so count from the last one.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  if (text === '' || fields.length < 20) return null
  return { state: fields[0] ?? '', threads: Number(fields[17]), start: fields[19] ?? '' }
}

function answersSignal(pid: number): boolean {
  try {
    kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

function pidNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid')
  } catch {
    // Not Linux: one namespace.
    return ''
  }
}

function readOr(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch {
    // Not Linux, or no such process: the caller reads the empty text as "not known".
    return ''
  }
}
