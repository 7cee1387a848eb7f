/**
 * The owner of a lock as the target of the lock's symbolic link: `1<host><boot><namespace>:<pid>:<start>:<token>`, the first three as 8 hex digits
 * of their hash. Short on purpose: ext4 keeps a target of less than 60 bytes in the inode, and a longer one takes five times as long to make and
 * remove.
 */
import { contentHash, utf8 } from '../../base/index.ts'
import { isProcessAlive, type ProcessFacts, thisProcess } from '../../real/processes.ts'

export type LockOwner = {
  readonly host: string
  readonly boot: string
  readonly namespace: string
  readonly pid: number
  readonly start: string
  readonly token: string
}

/** This process, with a token of 16 hex digits that is new for each opened journal. */
export function ownLockOwner(token: string): LockOwner {
  return { ...placeOf(thisProcess()), token }
}

export function ownerText(owner: LockOwner): string {
  return `1${owner.host}${owner.boot}${owner.namespace}:${owner.pid.toString(36)}:${owner.start}:${owner.token}`
}

const OWNER = /^1([0-9a-f]{8})([0-9a-f]{8})([0-9a-f]{8}):([0-9a-z]{1,7}):([0-9a-z]{0,12}):([0-9a-f]{16})$/

/** Null for a link that no journal made. */
export function parseOwner(text: string): LockOwner | null {
  const match = OWNER.exec(text)
  if (match === null) return null
  const [, host = '', boot = '', namespace = '', pid = '', start = '', token = ''] = match
  return { host, boot, namespace, pid: Number.parseInt(pid, 36), start, token }
}

/** `unknown`: on another machine or in another container, so nobody here can tell. */
export function livenessOf(owner: LockOwner): 'alive' | 'dead' | 'unknown' {
  const self = placeOf(thisProcess())
  if (owner.host !== self.host) return 'unknown'
  // The machine has been started again since.
  if (owner.boot !== self.boot) return 'dead'
  if (owner.namespace !== self.namespace) return 'unknown'
  return isProcessAlive(owner.pid, Number.parseInt(owner.start || '0', 36)) ? 'alive' : 'dead'
}

type Place = Omit<LockOwner, 'token'>

function placeOf(facts: ProcessFacts): Place {
  own ??= {
    host: digest(facts.host),
    boot: digest(facts.boot),
    namespace: digest(facts.namespace),
    pid: facts.pid,
    start: facts.start === 0 ? '' : facts.start.toString(36),
  }
  return own
}

let own: Place | null = null

function digest(text: string): string {
  return contentHash(utf8(text)).slice(0, 8)
}
