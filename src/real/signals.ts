/** The signals of this system, and sending them to other processes, captured before anything is patched. */
import nodeFs from 'node:fs'
import os from 'node:os'
import { statFields } from './processes.ts'

const kill = process.kill.bind(process)
const { readdirSync } = nodeFs

/** By name. */
export const signals: Readonly<Record<string, number>> = { ...os.constants.signals }

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

/**
 * Every process of a session, by its leader's pid. Only the leader where the system does not report them (not
 * Linux).
 */
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

export function signalName(number: number): NodeJS.Signals | null {
  for (const [name, value] of Object.entries(signals)) if (value === number) return name as NodeJS.Signals
  return null
}

export function signalNumber(name: string): number | null {
  return Object.entries(signals).find(([known]) => known === name)?.[1] ?? null
}
