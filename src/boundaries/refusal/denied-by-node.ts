/**
 * Calls of a replayed program that Node's permission model denies. Such a call has bypassed the patches, so
 * nothing else detects it. Node 24.21 and newer publishes each denial; it becomes a divergence that names the
 * call, even if the program swallows the error. Older Nodes publish nothing.
 *
 * Calls of Reprise itself, and of module loaders, belong to no session.
 */
import { label } from '../../base/index.ts'
import { subscribeToDenials } from '../../real/denials.ts'
import { isWalled } from '../../real/walled.ts'
import { activeSession } from '../context.ts'
import type { CrossingName } from '../names.ts'

const BOUNDARIES: Readonly<Record<string, CrossingName>> = { fs: 'filesystem', net: 'network' }

/** Active until disposed of. */
export function reportDenials(): Disposable {
  if (!isWalled) return { [Symbol.dispose]: () => undefined }
  return subscribeToDenials((part, { permission, resource }) => {
    const boundary = BOUNDARIES[part] ?? 'process'
    const session = activeSession(boundary)
    if (session === null || session.isLive(label(boundary))) return
    try {
      session.start(label(boundary), `${permission} ${resource} (denied by Node)`, () => undefined)
    } catch {
      // The divergence is kept. The program gets the error of Node.
    }
  })
}
