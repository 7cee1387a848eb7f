/**
 * Which part of the kernel an event belongs to. Derived from the kind; an embedded category wins where an
 * event carries one, even a wrong one, as upstream has it. Everything unlisted, known or not, is `sched`.
 *
 * Decision 0055.
 */
import { type Category, categories, type Primitive, primitives } from './fields.ts'
import { type EventKind, eventKinds, isKnownKind, type SessionEvent } from './kinds.ts'

const categoryByKind: ReadonlyMap<string, Category> = new Map<string, Category>([
  ['tool_gated', 'syscall'],
  ['capability_changed', 'syscall'],
  ...(
    [
      'compressed',
      'page_out',
      'page_in',
      'page_in_requested',
      'renewed',
      'context_renewed',
      'large_result_spooled',
    ] as const
  ).map((kind) => [kind, 'mm'] as const),
  ...(['memory_written', 'memory_queried', 'memory_validation_failed'] as const).map(
    (kind) => [kind, 'mm'] as const,
  ),
  ...(
    [
      'agent_process_changed',
      'agent_spawned',
      'workflow_batch_spawned',
      'workflow_completed',
      'agent_preempted',
    ] as const
  ).map((kind) => [kind, 'proc'] as const),
  ['signal_disposed', 'ipc'],
])

export function categoryOfKind(kind: string): Category {
  return categoryByKind.get(kind) ?? 'sched'
}

export function primitiveOfCategory(category: Category): Primitive {
  return category === 'syscall' || category === 'mm' ? category : 'sched'
}

export function primitiveOfKind(kind: string): Primitive {
  return primitiveOfCategory(categoryOfKind(kind))
}

/** The embedded category if this version knows it, else the derived one. */
export function eventCategory(event: SessionEvent): Category {
  const embedded = 'category' in event ? event.category : undefined
  return categories.find((known) => known === embedded) ?? categoryOfKind(event.kind)
}

export function eventPrimitive(event: SessionEvent): Primitive {
  const embedded = 'primitive' in event ? event.primitive : undefined
  return primitives.find((known) => known === embedded) ?? primitiveOfCategory(eventCategory(event))
}

const kernelKinds: ReadonlySet<string> = new Set(
  (Object.keys(eventKinds) as EventKind[]).filter((kind) => 'category' in eventKinds[kind]),
)

/** One of the 20 kinds that the kernel itself writes. Checks no other field. */
export function isKernelOsEvent(event: { readonly kind: string }): boolean {
  return kernelKinds.has(event.kind)
}

/**
 * The event with the category and primitive that its kind has, right after the turn; events that carry none
 * are given back as they are.
 */
export function withCategory<E extends SessionEvent>(event: E): E {
  if (!isKnownKind(event.kind) || !kernelKinds.has(event.kind)) return event
  const { kind, turn, ...rest } = event as SessionEvent & { readonly turn?: unknown }
  return {
    kind,
    turn,
    category: categoryOfKind(event.kind),
    primitive: primitiveOfKind(event.kind),
    ...rest,
  } as E
}
