import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  createFold,
  emptyOsSnapshot,
  fold,
  rebuildOsSnapshot,
  type SessionEvent,
} from '../../src/journal/index.ts'
import { anyEvent } from './any-event.ts'

const events = fc.array(anyEvent, { maxLength: 40 })

test('fold(a ++ b) is fold(fold(a), b), one by one, in a stream and all at once', () => {
  fc.assert(
    fc.property(events, events, fc.constantFrom({}, { compat: 'base' as const }), (a, b, options) => {
      const whole = rebuildOsSnapshot([...a, ...b], options)
      const inSteps = b.reduce(
        (snapshot, event) => fold(snapshot, event, options),
        rebuildOsSnapshot(a, options),
      )
      expect(inSteps).toEqual(whole)
      const stream = createFold(options, rebuildOsSnapshot(a, options))
      for (const event of b) stream.add(event)
      expect(stream.snapshot()).toEqual(whole)
    }),
  )
})

test('fold leaves the snapshot that it was given as it was', () => {
  fc.assert(
    fc.property(events, anyEvent, (before, event) => {
      const snapshot = rebuildOsSnapshot(before)
      const copy = structuredClone(snapshot)
      fold(snapshot, event)
      expect(snapshot).toEqual(copy)
    }),
  )
})

test('the snapshot does not depend on how the log is cut into chunks', () => {
  fc.assert(
    fc.property(fc.array(events, { maxLength: 8 }), (chunks) => {
      const inChunks = chunks.reduce(
        (snapshot, chunk) => chunk.reduce((so, event) => fold(so, event), snapshot),
        emptyOsSnapshot(),
      )
      expect(inChunks).toEqual(rebuildOsSnapshot(chunks.flat()))
    }),
  )
})

test('shuffled process events keep first-seen order, newest state wins', () => {
  const change = fc.record({
    agent: fc.constantFrom('a', 'b', 'c', '', 'd'),
    turn: fc.nat(9),
    state: fc.constantFrom('running', 'joined', 'failed'),
  })
  fc.assert(
    fc.property(fc.array(change, { maxLength: 30 }), (changes) => {
      const log: SessionEvent[] = changes.map(({ agent, turn, state }) => ({
        kind: 'agent_process_changed',
        turn,
        agent_id: agent,
        parent_session_id: 'p',
        role: 'r',
        isolation: 'i',
        context_inheritance: 'c',
        state,
      }))
      const rows = rebuildOsSnapshot(log).process_by_agent
      expect(rows.map((row) => row.agent_id)).toEqual([...new Set(changes.map(({ agent }) => agent))])
      for (const row of rows)
        expect(row).toMatchObject({ state: changes.findLast(({ agent }) => agent === row.agent_id)?.state })
    }),
  )
})
