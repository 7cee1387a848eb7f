/**
 * Keeps the run that is under way while a foreign log is read: its turns and tokens, and the event that ends
 * it.
 */
import type { ImportedEvent, Usage } from './log-importer.ts'

export type RunTracker = {
  readonly turn: number
  readonly open: boolean
  start(runId: string, goal: string, at: string | null, systemPrompt?: string | null): ImportedEvent[]
  /** One model call: the turn that it is, counted from 0 in each run. */
  called(usage: Usage | null): void
  /** How the run would end if nothing more came. */
  ending: string | null
  /** `run_terminal`, if a run is open and its end is known. */
  finish(at: string | null, reason?: string): ImportedEvent[]
}

export function createRunTracker(): RunTracker {
  let open = false
  let turn = 0
  let calls = 0
  let tokens = 0
  return {
    ending: null,
    get turn() {
      return turn
    },
    get open() {
      return open
    },
    start(runId, goal, at, systemPrompt = null) {
      open = true
      turn = 0
      calls = 0
      tokens = 0
      this.ending = null
      return [
        {
          kind: 'run_started',
          run_id: runId,
          goal,
          criteria: [],
          agent_id: null,
          system_prompt: systemPrompt,
          ...time(at),
        },
      ]
    },
    called(usage) {
      turn = calls
      calls += 1
      tokens += usage === null ? 0 : usage.input_tokens + usage.output_tokens
    },
    finish(at, reason) {
      const known = reason ?? this.ending
      if (!open || known === null) return []
      open = false
      this.ending = null
      return [{ kind: 'run_terminal', reason: known, turns_used: calls, total_tokens: tokens, ...time(at) }]
    },
  }
}

export function time(at: string | null): { readonly at?: string } {
  return at === null ? {} : { at }
}
