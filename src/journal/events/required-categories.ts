/**
 * Checks that the kernel events of a log have their category.
 *
 * `base` asks what upstream's Rust asks: 16 of the 20 kernel kinds must carry some category. `strict` asks
 * what its Node and Python ask: all 20, the category must be the derived one, and so must the primitive where
 * there is one.
 */
import { categoryOfKind, isKernelOsEvent, primitiveOfKind } from './category.ts'
import type { SessionEvent } from './kinds.ts'

export type CategoryLevel = 'base' | 'strict'

export type CategoryFinding = {
  /** Position in the list that was checked, from 0. */
  readonly index: number
  readonly kind: string
  readonly field: 'category' | 'primitive'
  readonly problem: 'missing' | 'wrong'
  readonly expected: string
  readonly actual: string | null
}

export type CategoryReport = {
  readonly ok: boolean
  readonly checked: number
  readonly findings: readonly CategoryFinding[]
  /**
   * True if events were checked and none carries a category: upstream's versions from 0.2.37 on write none.
   */
  readonly withoutAny: boolean
}

/** Kernel kinds that upstream's Rust check forgets. */
const UNCHECKED_AT_BASE: ReadonlySet<string> = new Set([
  'large_result_spooled',
  'memory_written',
  'memory_queried',
  'memory_validation_failed',
])

/** True if every kernel event that the level asks about carries its category. */
export function sessionLogHasRequiredCategories(
  events: Iterable<SessionEvent>,
  options: { readonly level?: CategoryLevel } = {},
): boolean {
  return checkRequiredCategories(events, options).ok
}

/** The same, with the findings. */
export function checkRequiredCategories(
  events: Iterable<SessionEvent>,
  options: { readonly level?: CategoryLevel } = {},
): CategoryReport {
  const check = createCategoryCheck(options.level ?? 'base')
  for (const event of events) check.add(event)
  return check.report()
}

/** The same for a stream of events. */
export type CategoryCheck = {
  add(event: SessionEvent): void
  /** Findings so far. */
  count(): number
  report(): CategoryReport
}

export function createCategoryCheck(level: CategoryLevel): CategoryCheck {
  const findings: CategoryFinding[] = []
  let index = -1
  let checked = 0
  let missing = 0
  return {
    add(event) {
      index += 1
      if (!isKernelOsEvent(event) || (level === 'base' && UNCHECKED_AT_BASE.has(event.kind))) return
      checked += 1
      const found = findingsOf(event, index, level)
      if (found.some(({ field, problem }) => field === 'category' && problem === 'missing')) missing += 1
      findings.push(...found)
    },
    count: () => findings.length,
    report: () => ({
      ok: findings.length === 0,
      checked,
      findings: [...findings],
      withoutAny: checked > 0 && missing === checked,
    }),
  }
}

function findingsOf(event: SessionEvent, index: number, level: CategoryLevel): CategoryFinding[] {
  const { kind } = event
  const { category = null, primitive = null } = event as {
    readonly category?: string | null
    readonly primitive?: string | null
  }
  const found: CategoryFinding[] = []
  const expected = categoryOfKind(kind)
  if (category === null)
    found.push({ index, kind, field: 'category', problem: 'missing', expected, actual: null })
  if (level === 'base') return found
  if (category !== null && category !== expected)
    found.push({ index, kind, field: 'category', problem: 'wrong', expected, actual: String(category) })
  const rolled = primitiveOfKind(kind)
  if (primitive !== null && primitive !== rolled) {
    found.push({
      index,
      kind,
      field: 'primitive',
      problem: 'wrong',
      expected: rolled,
      actual: String(primitive),
    })
  }
  return found
}
