/** Node's permission model, which denies `process.binding` and some calls on any file. */
import process from 'node:process'

/** Whether this process runs under it. */
export const isWalled: boolean = Reflect.get(process, 'permission') !== undefined

/** Denied for every descriptor. Only a replay has a wall, and its files need not outlive a power cut. */
export const DENIED_FLUSHES: ReadonlySet<string> = new Set(['fsyncSync', 'fdatasyncSync'])

/** Whether Node denies native addons to this process. Asked once, at the start: Node publishes each denial. */
export const deniesAddons: boolean = isDenied('addon')

function isDenied(scope: string): boolean {
  const permission: unknown = Reflect.get(process, 'permission')
  if (typeof permission !== 'object' || permission === null) return false
  const has: unknown = Reflect.get(permission, 'has')
  return typeof has === 'function' && Reflect.apply(has, permission, [scope]) === false
}
