/**
 * Whether a write may go ahead: upstream's two-writer rule, the rule that mends its hole, and
 * compare-and-swap. Pure.
 *
 * Upstream compares writer ids only, and by default two handles of a session have the same one. So under
 * `warn` and `error` a write over a version that this handle has neither read nor written is a conflict too.
 *
 * Decision 0045.
 */
import { unreachable } from '../base/index.ts'
import { RepriseError } from '../errors/index.ts'
import type { Conflict, ConflictPolicy, DeleteRequest, Entry, WriteRequest } from './contract.ts'
import { writerName, writerNames } from './writer.ts'

export function parseConflictPolicy(text: string): ConflictPolicy {
  switch (text.trim().toLowerCase()) {
    case '':
    case 'ignore':
    case 'off':
      return 'ignore'
    case 'warn':
    case 'warning':
      return 'warn'
    case 'error':
    case 'strict':
      return 'error'
    default:
      throw new RepriseError('state-policy-unknown', `agent_state: unknown conflict policy '${text}'`, {
        hint: 'use ignore, warn or error',
      })
  }
}

/** What is there now, as far as it matters here. */
export type Present = Pick<Entry, 'version' | 'writer'>

/** Throws where the write is refused; gives the conflict to warn of where it goes ahead all the same. */
export function judgeWrite(entry: Present | null, request: WriteRequest): Conflict | null {
  judgeVersion(entry, request)
  const conflict = entry === null ? null : findConflict(entry, request)
  if (conflict === null) return null
  switch (request.policy) {
    case 'ignore':
      return null
    case 'warn':
      return conflict
    case 'error':
      throw new RepriseError('state-conflict', conflict.message, {
        details: { key: conflict.key, previous: conflict.previous, current: conflict.current },
        hint: 'read the key first, pass on the same writer id, or choose another conflict policy',
      })
    default:
      return unreachable(request.policy)
  }
}

/** Compare-and-swap: whatever the policy, the version named must be the one that is there. */
export function judgeVersion(entry: Present | null, request: WriteRequest | DeleteRequest): void {
  if (request.ifVersion === undefined || request.ifVersion === (entry?.version ?? null)) return
  const expected = request.ifVersion === null ? 'absent' : `at version '${request.ifVersion}'`
  const actual = entry === null ? 'absent' : `at version '${entry.version}' by '${writerName(entry.writer)}'`
  throw new RepriseError(
    'state-version-mismatch',
    `agent_state: key '${request.key}' is ${actual}, not ${expected} as '${writerName(request.writer)}' expects`,
    {
      details: {
        key: request.key,
        expected: request.ifVersion,
        actual: entry?.version ?? null,
        previous: entry?.writer ?? null,
        current: request.writer,
      },
      hint: 'read the key again and repeat the change on what it holds now',
    },
  )
}

function findConflict(entry: Present, request: WriteRequest): Conflict | null {
  const before = entry.writer?.writerId ?? null
  const otherWriter =
    before !== null && request.writer.writerId !== null && before !== request.writer.writerId
  const unseen = entry.version !== request.seen && request.ifVersion === undefined
  if (!otherWriter && !unseen) return null
  const [previous, current] = writerNames(entry.writer, request.writer)
  const message = `agent_state.write: key '${request.key}' was previously written by '${previous}' and is now being written by '${current}'`
  return { key: request.key, previous: entry.writer, current: request.writer, message }
}
