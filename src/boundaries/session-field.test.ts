import { expect, test } from 'vitest'
import { recordingSession, replayingSession } from '../../test/support/fake-session.ts'
import { sessionField } from './session-field.ts'

test('each session has its own value, made once, when it is first read', () => {
  let made = 0
  const names = sessionField(() => {
    made += 1
    return new Set<string>()
  })
  const [one, other] = [recordingSession(), replayingSession([])]
  expect(made).toBe(0)
  names.get(one).add('a')
  expect([[...names.get(one)], [...names.get(other)], made]).toEqual([['a'], [], 2])
})

test('a value that was set replaces the first one, and null and undefined are values', () => {
  const limit = sessionField<number | null | undefined>(() => 1)
  const session = recordingSession()
  limit.set(session, null)
  expect(limit.get(session)).toBeNull()
  limit.set(session, undefined)
  expect(limit.get(session)).toBeUndefined()
  expect(limit.get(recordingSession())).toBe(1)
})

test('two fields of one session do not see each other', () => {
  const one = sessionField(() => 'one')
  const other = sessionField(() => 'other')
  const session = recordingSession()
  one.set(session, 'changed')
  expect([one.get(session), other.get(session)]).toEqual(['changed', 'other'])
})
