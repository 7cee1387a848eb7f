/** The owner of a lock as one line of text, the target of the lock's symbolic link: `1:host:boot:namespace:pid:start:token`. */
import type { ProcessFacts } from '../../real/processes.ts'

export type LockOwner = ProcessFacts & {
  /** 32 hex digits, new for each opened journal. */
  readonly token: string
}

export function ownerText(owner: LockOwner): string {
  const parts = [owner.host, owner.boot, owner.namespace, String(owner.pid), owner.start]
  return ['1', ...parts.map(encodeURIComponent), owner.token].join(':')
}

/** Null for a link that no journal made. */
export function parseOwner(text: string): LockOwner | null {
  const [version, host, boot, namespace, pid, start, token, ...rest] = text.split(':')
  if (version !== '1' || token === undefined || rest.length > 0 || !/^[0-9a-f]{32}$/.test(token) || !/^\d{1,10}$/.test(pid ?? '')) return null
  try {
    return {
      host: decodeURIComponent(host ?? ''),
      boot: decodeURIComponent(boot ?? ''),
      namespace: decodeURIComponent(namespace ?? ''),
      pid: Number(pid),
      start: decodeURIComponent(start ?? ''),
      token,
    }
  } catch {
    // A stray percent sign: not written by `ownerText`.
    return null
  }
}
