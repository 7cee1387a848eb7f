/**
 * A typed field that one boundary adds to every session. It is created when it is first read, and ends with
 * the session. The session does not know what its fields contain, so a new boundary changes no type of
 * another.
 *
 * Decision 0281.
 */
import type { Session } from './session.ts'

export type SessionField<T> = {
  get(session: Session): T
  /** Replaces the value. A value passed to the session must be set before the session is used. */
  set(session: Session, value: T): void
}

/** `initial` creates the value for a session that was given none. */
export function sessionField<T>(initial: (session: Session) => T): SessionField<T> {
  // One class per field, which is also its key: `instanceof` restores the type of the stored value.
  class Stored {
    value: T

    constructor(value: T) {
      this.value = value
    }
  }
  const stored = ({ fields }: Session): Stored | null => {
    const known = fields.get(Stored)
    return known instanceof Stored ? known : null
  }
  return {
    get(session) {
      const known = stored(session)
      if (known !== null) return known.value
      const value = initial(session)
      session.fields.set(Stored, new Stored(value))
      return value
    },
    set(session, value) {
      session.fields.set(Stored, new Stored(value))
    },
  }
}
