/**
 * The seal: the last record of a tape that was closed. It counts the records before it and holds BLAKE3 of
 * every byte before its own line, so a cut tail shows. The hash is unkeyed and shows accidents; a signature
 * over the seal shows tampering too.
 */
import type { ContentHash, Label } from '../base/index.ts'
import type { Scrubbed } from '../scrub/index.ts'
import { scrubbedJson } from '../scrub/scrubbed-parts.ts'
import type { ChildSeal } from './children-folder.ts'
import type { Kind } from './kinds.ts'
import type { NamedPlaces } from './root-names.ts'

/** What is known of a boundary at the end of a run. */
export type Completeness = 'captured' | 'passed_through' | 'denied' | 'unknown'

export type SealFacts = {
  readonly boundaries?: { readonly [boundary: string]: Completeness }
  readonly exit?: { readonly code: number | null; readonly signal: string | null } | null
  /** `program`: it has sent the signal of its end itself. */
  readonly endedBy?: Label
  readonly stdout?: { readonly bytes: number; readonly hash: ContentHash } | null
  readonly stderr?: { readonly bytes: number; readonly hash: ContentHash } | null
  /** The tapes of children by name. Left out without children. */
  readonly children?: { readonly [name: string]: ChildSeal }
  /** Of a tape whose header has names instead of folders. */
  readonly places?: NamedPlaces
}

export function createSeal(
  records: number,
  chain: ContentHash,
  facts: Scrubbed<SealFacts>,
): Scrubbed<Kind<'tape_seal'>> {
  return {
    kind: 'tape_seal',
    records,
    chain,
    boundaries: scrubbedJson(facts.boundaries ?? {}),
    exit: facts.exit ?? null,
    stdout: facts.stdout ?? null,
    stderr: facts.stderr ?? null,
    ...(facts.children === undefined ? {} : { children: scrubbedJson(facts.children) }),
    ...(facts.places === undefined ? {} : { places: scrubbedJson(facts.places) }),
    ...(facts.endedBy === undefined ? {} : { endedBy: facts.endedBy }),
  }
}
