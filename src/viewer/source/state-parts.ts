/** A state folder as one document, for a bundle or an export. */
import type { StateDocument, StateSession, StateVersion } from '../protocol/state.ts'

export type StateParts = {
  readonly document: StateDocument
  readonly sessions: readonly {
    readonly session: StateSession
    readonly histories: readonly { readonly key: string; readonly versions: readonly StateVersion[] }[]
  }[]
}
