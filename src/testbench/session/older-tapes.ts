/** What a session does otherwise because its tape is from before a feature. */
import type { Session } from '../../boundaries/session.ts'
import { hasFeature } from '../../tape/features.ts'
import type { SessionOptions } from './session-options.ts'

type OfOlderTapes = Pick<
  Session,
  | 'startsIdleLimits'
  | 'keepsDispatchers'
  | 'computesSignatures'
  | 'computesVerifications'
  | 'keepsKeyText'
  | 'sharesDispatchers'
  | 'readsMasks'
  | 'recordsWholeAppends'
  | 'sharesLogins'
  | 'waitsForOwnSignals'
  | 'asksForTextPids'
>

export function ofOlderTape({ tape, mayServe }: SessionOptions): OfOlderTapes {
  // An update writes a tape of its own.
  if (tape === undefined || mayServe === true) return {}
  const lacks = (feature: Parameters<typeof hasFeature>[1]): boolean => !hasFeature(tape.header, feature)
  return {
    ...(lacks('keptIdleLimits') ? { startsIdleLimits: true } : {}),
    ...(lacks('gatedFetch') ? { keepsDispatchers: true } : {}),
    ...(lacks('signatures') ? { computesSignatures: true } : {}),
    ...(lacks('issuedSecrets') ? { computesVerifications: true } : {}),
    ...(lacks('freshDispatchers') ? { sharesDispatchers: true } : {}),
    ...(lacks('ownMasks') ? { readsMasks: true } : {}),
    ...(lacks('appendedParts') ? { recordsWholeAppends: true } : {}),
    ...(lacks('openedLogins') ? { sharesLogins: true } : {}),
    ...(lacks('ownSignals') ? { waitsForOwnSignals: true } : {}),
    ...(lacks('textPids') ? { asksForTextPids: true } : {}),
    ...(lacks('keyForms') ? { keepsKeyText: true } : {}),
  }
}
