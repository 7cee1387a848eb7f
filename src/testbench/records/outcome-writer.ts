import type { Outcome, TerminalAction } from '../../boundaries/session.ts'

/** Writes the outcomes of one effect as records. */
export type OutcomeWriter = {
  /** Whether the scrubber holds bytes back that the program has seen. */
  readonly isHolding?: boolean
  /** `together`: it is handed out in the turn of the one before. */
  write(outcome: Outcome, together?: boolean): void
  /** The program wants no more of it. What it has seen and the scrubber still holds back is written now: a replay must have it. */
  abandon(): void
  /** Only of a terminal. */
  did?(action: TerminalAction): void
}
