/**
 * Who this process is, and whether another one of this machine still lives: by pid and start time, because pids are used again.
 */
import nodeFs from 'node:fs'
import os from 'node:os'
import { realPid } from './process.ts'

const { readFileSync, readlinkSync } = nodeFs
const { hostname } = os
const kill = process.kill.bind(process)

export type ProcessFacts = {
  readonly host: string
  /** Changes with each start of the machine; empty where the operating system does not say. */
  readonly boot: string
  /** The pid namespace: a container has its own. */
  readonly namespace: string
  readonly pid: number
  /** Clock ticks since boot; 0 where the operating system does not say. */
  readonly start: number
}

export function thisProcess(): ProcessFacts {
  own ??= {
    host: hostname(),
    boot: readOrEmpty('/proc/sys/kernel/random/boot_id'),
    namespace: pidNamespace(),
    pid: realPid,
    start: statOf(realPid)?.start ?? 0,
  }
  return own
}

let own: ProcessFacts | null = null

/** `start` as `thisProcess` gave it in that process; 0 if it is not known. */
export function isProcessAlive(pid: number, start: number): boolean {
  const stat = statOf(pid)
  // Not Linux, or a /proc that hides the processes of others: then only a signal can tell, and "not yours" means alive.
  if (stat === null) return answersSignal(pid)
  if (start !== 0 && stat.start !== start) return false
  // A killed process whose parent has not looked is a zombie. Its last thread may still be inside a write, so the others must be gone too.
  return !((stat.state === 'Z' || stat.state === 'X') && stat.threads <= 1)
}

function statOf(pid: number): { readonly state: string; readonly threads: number; readonly start: number } | null {
  const text = readOrEmpty(`/proc/${pid}/stat`)
  // The name in parentheses may hold anything, so count from the last one.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  if (text === '' || fields.length < 20) return null
  return { state: fields[0] ?? '', threads: Number(fields[17]), start: Number(fields[19]) }
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

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch {
    // Not Linux, or no such process: the caller reads the empty text as "not known".
    return ''
  }
}
