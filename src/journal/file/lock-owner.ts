/**
 * The owner of a lock as the target of the lock's symbolic link:
 * `1<host><boot><namespace>:<pid>:<start>:<token>`, the first three as 8 hex digits of their hash. Short on
 * purpose: ext4 keeps a target of less than 60 bytes in the inode, and a longer one takes five times as long
 * to make and remove.
 */
import { contentHash, utf8 } from '../../base/index.ts'
import { ownIdentity, type Presence, type ProcessIdentity, presenceOf } from '../../real/processes.ts'

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
  return { ...place(), token }
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

/** `elsewhere`: on another machine or in another container, so nothing is known about the process. */
export function presenceOfOwner(owner: LockOwner): Presence {
  return presenceOf(identityOf(owner), identityOf(place()))
}

type Place = Omit<LockOwner, 'token'>

function identityOf({ host, boot, namespace, pid, start }: Place): ProcessIdentity {
  return {
    host,
    boot,
    space: namespace,
    pid,
    started: start === '' ? '' : String(Number.parseInt(start, 36)),
  }
}

function place(): Place {
  own ??= placeOf(ownIdentity())
  return own
}

let own: Place | null = null

function placeOf({ host, boot, space, pid, started }: ProcessIdentity): Place {
  // Outside Linux the start time is a date, which does not fit.
  const start = /^\d+$/.test(started) ? Number(started).toString(36) : ''
  return { host: digest(host), boot: digest(boot), namespace: digest(space), pid, start }
}

function digest(text: string): string {
  return contentHash(utf8(text)).slice(0, 8)
}
