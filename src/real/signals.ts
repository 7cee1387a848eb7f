/** Signals to other processes, and whether a process is alive; captured before anything is patched. */
import nodeFs from 'node:fs'
import os from 'node:os'

const kill = process.kill.bind(process)
const { readdirSync, readFileSync } = nodeFs
const { signals } = os.constants

/** False where there is no such process, or it is not ours. */
export function sendSignal(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    kill(pid, signal)
    return true
  } catch {
    // ESRCH or EPERM: gone, or somebody else's. Both mean that there is nothing to signal here.
    return false
  }
}

/** A process that exists but belongs to somebody else is alive too. */
export function isAlive(pid: number): boolean {
  try {
    kill(pid, 0)
    return true
  } catch (error) {
    return typeof error === 'object' && error !== null && 'code' in error && error.code === 'EPERM'
  }
}

/** When a process began, in clock ticks since boot: with the pid it names one process for good. Null where the system does not tell (not Linux). */
export function processStart(pid: number): string | null {
  return statFields(pid)?.[19] ?? null
}

/** Every process of a session, by its leader's pid. Only the leader where the system does not tell (not Linux). */
export function sessionMembers(leader: number): readonly number[] {
  let entries: string[]
  try {
    entries = readdirSync('/proc')
  } catch {
    // No /proc: the group is all that can be reached.
    return [leader]
  }
  const pids = entries.filter((name) => /^\d+$/.test(name)).map(Number)
  return pids.filter((pid) => statFields(pid)?.[3] === String(leader))
}

/** The fields of /proc/<pid>/stat after the name, which is in brackets and may hold anything. */
function statFields(pid: number): string[] | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1')
    return text.slice(text.lastIndexOf(')') + 2).split(' ')
  } catch {
    // The process has ended, or there is no /proc.
    return null
  }
}

export function signalName(number: number): NodeJS.Signals | null {
  for (const [name, value] of Object.entries(signals)) if (value === number) return name as NodeJS.Signals
  return null
}

export function signalNumber(name: string): number | null {
  return Object.entries(signals).find(([known]) => known === name)?.[1] ?? null
}
