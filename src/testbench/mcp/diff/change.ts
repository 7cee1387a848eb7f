/**
 * One change of a server between two runs, as data. `breaking`: a client that worked with the first may fail
 * with the second.
 */
import type { Json } from '../../../base/index.ts'

export type McpChange = {
  readonly server: string
  readonly area: 'server' | 'capability' | 'tool' | 'prompt' | 'resource' | 'resource_template' | 'answer'
  /** The tool, prompt or call that changed; null for the server as a whole. */
  readonly name: string | null
  readonly change: 'added' | 'removed' | 'renamed' | 'changed'
  /** Where in it; null for the whole. */
  readonly path: string | null
  /** Null if one side has nothing. */
  readonly before: Json
  readonly after: Json
  readonly breaking: boolean
}

/** A change inside something that both runs have. */
export type FieldChange = Pick<McpChange, 'change' | 'before' | 'after' | 'breaking'> & {
  readonly path: string
}
