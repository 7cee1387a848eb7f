/**
 * One test per behaviour of the original systems. The id is that of the list of behaviours (A: tape, B:
 * cassette, C: session events, D: state); the name is what upstream promises.
 *
 * `same` holds here as there, `superset` holds here with something added, `differs` checks what Reprise does
 * instead: each of those is a row of docs/format/compatibility.md. test/compat/upstream/list.test.ts checks
 * that no behaviour is left out.
 */
import { test } from 'vitest'

type Check = () => void | Promise<void>
type Behaviour = (id: `${'A' | 'B' | 'C' | 'D'}${number}`, promise: string, check: Check) => void

export const same: Behaviour = (id, promise, check) => test(`${id} same: ${promise}`, check)
export const superset: Behaviour = (id, promise, check) => test(`${id} superset: ${promise}`, check)
export const differs: Behaviour = (id, promise, check) => test(`${id} differs: ${promise}`, check)
