/**
 * The changes that a program makes in a replay, where there is no disk: each call that succeeded on the tape
 * is made again, on a layer over the files of the tape. Only for the diff of a replay; the program's results
 * come from the tape alone.
 *
 * Decision 0219.
 */
import { dirname } from 'node:path'
import type { Answer, Session } from '../session.ts'
import { sessionField } from '../session-field.ts'
import type { PerformedCall } from './file-access.ts'
import type { Layer } from './layer/layer.ts'
import type { LayerFs } from './layer/layer-fs.ts'
import { whatChanges } from './what-changes.ts'

export type ReplayedChanges = {
  readonly layer: Layer
  readonly fs: LayerFs
  /** The path in the layer of a file that the program names; null if it is not there. */
  place(path: string): string | null
  /** Called for a call that could not be made again: the diff may be incomplete. */
  failed(call: string): void
  /** Called before a call is made again, with the path of its first file. */
  before?(call: PerformedCall): void
  /** The program has read this content. */
  read?(place: string, bytes: Uint8Array): void
}

const replayed = sessionField<{
  readonly changes: ReplayedChanges
  readonly open: Map<number, number>
} | null>(() => null)

/** Set it before the session is used. Returns the descriptors of the layer by the recorded ones. */
export function useReplayedChanges(session: Session, changes: ReplayedChanges): ReadonlyMap<number, number> {
  const open = new Map<number, number>()
  replayed.set(session, { changes, open })
  return open
}

/** After the tape has answered. */
export function replayCall(session: Session, call: PerformedCall, answer: Answer): void {
  const known = replayed.get(session)
  if (known === null || (answer.type === 'fs_call' && answer.error !== null)) return
  const { changes, open } = known
  try {
    changes.before?.(call)
    if (BY_DESCRIPTOR.has(call.name) || typeof call.args[0] === 'number')
      replayDescriptorCall(changes, open, call)
    else replayPathCall(changes, open, call, answer)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error
    changes.failed(`${call.name} ${call.names.given.join(' ')}: ${String(error.code)}`)
  }
}

const BY_DESCRIPTOR = new Set([
  'close',
  'read',
  'readv',
  'write',
  'writev',
  'ftruncate',
  'fchmod',
  'futimes',
  'fchown',
])

function replayDescriptorCall(
  { fs }: ReplayedChanges,
  open: Map<number, number>,
  { name, args }: PerformedCall,
): void {
  const [recorded, ...rest] = args
  const fd = open.get(Number(recorded))
  // Opened outside the root, or not by the program.
  if (fd === undefined) return
  if (name === 'close') open.delete(Number(recorded))
  if (name === 'read' || name === 'readv') rest[0] = scratch(rest[0])
  const call: unknown = Reflect.get(fs, `${name}Sync`)
  if (typeof call === 'function') Reflect.apply(call, fs, [fd, ...rest])
}

/** Only the position of the file matters; the bytes are not used. */
function scratch(target: unknown): unknown {
  if (Array.isArray(target)) return target.map(scratch)
  return ArrayBuffer.isView(target) ? Buffer.alloc(target.byteLength) : target
}

function replayPathCall(
  changes: ReplayedChanges,
  open: Map<number, number>,
  call: PerformedCall,
  answer: Answer,
): void {
  const { name, args, names } = call
  const { fs } = changes
  if (answer.type === 'file_read') {
    const place = changes.place(names.given[0] ?? '')
    if (place !== null) changes.read?.(place, answer.bytes)
    return
  }
  if (name === 'mkdtemp') return void makeTemporary(changes, names.given[0] ?? '', answer)
  if (name !== 'open' && whatChanges(name, names.given, args).length === 0) return
  const given = name === 'symlink' ? names.given.slice(1) : names.given
  const places = given.map((path) => changes.place(path))
  if (places.some((place) => place === null)) return
  const [first = '', second] = places as string[]
  for (const place of [first, second])
    if (place !== undefined) fs.mkdirSync(dirname(place), { recursive: true })
  if (name === 'open') {
    const fd = fs.openSync(first, (args[1] ?? 'r') as string, (args[2] ?? 0o666) as number)
    open.set(recordedDescriptor(answer), fd)
    return
  }
  const translated =
    name === 'symlink'
      ? [args[0], first, ...args.slice(2)]
      : [first, ...(second === undefined ? [] : [second]), ...args.slice(places.length)]
  const made: unknown = Reflect.get(fs, `${name}Sync`)
  if (typeof made === 'function') Reflect.apply(made, fs, translated)
}

function makeTemporary(changes: ReplayedChanges, prefix: string, answer: Answer): void {
  const result = answer.type === 'fs_call' ? answer.result : null
  const added = typeof result === 'object' && result !== null && 'added' in result ? result.added : null
  const place = typeof added === 'string' ? changes.place(prefix + added) : null
  if (place !== null) changes.fs.mkdirSync(place, { recursive: true, mode: 0o700 })
}

function recordedDescriptor(answer: Answer): number {
  const result = answer.type === 'fs_call' ? answer.result : null
  return typeof result === 'object' && result !== null && 'fd' in result ? Number(result.fd) : -1
}
