/** Node's permission model, which denies `process.binding` and some calls on any file. */
import process from 'node:process'

/** Whether this process runs under it. */
export const isWalled: boolean = Reflect.get(process, 'permission') !== undefined

/** Denied for every descriptor. Only a replay has a wall, and its files need not outlive a power cut. */
export const DENIED_FLUSHES: ReadonlySet<string> = new Set(['fsyncSync', 'fdatasyncSync'])
