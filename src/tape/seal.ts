/**
 * The seal: the last record of a tape that was closed. It counts the records before it and holds BLAKE3 of
 * every byte before its own line, so a cut tail shows. The hash is unkeyed and shows accidents; a signature
 * over the seal shows tampering too.
 */
import { type ContentHash, canonicalJson, type Json, utf8 } from '../base/index.ts'
import { type Signer, verifyEd25519 } from '../real/signing.ts'
import type { Scrubbed } from '../scrub/index.ts'
import { fromReprise } from '../scrub/scrubbed.ts'
import { scrubbedJson } from '../scrub/scrubbed-parts.ts'
import type { ChildSeal } from './children-folder.ts'
import type { Kind } from './kinds.ts'
import type { NamedPlaces } from './root-names.ts'

/** What is known of a boundary at the end of a run. */
export type Completeness = 'captured' | 'passed_through' | 'denied' | 'unknown'

export type SealFacts = {
  readonly boundaries?: { readonly [boundary: string]: Completeness }
  readonly exit?: { readonly code: number | null; readonly signal: string | null } | null
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
  signer: Signer | null,
): Scrubbed<Kind<'tape_seal'>> {
  const seal: Scrubbed<Kind<'tape_seal'>> = {
    kind: 'tape_seal',
    records,
    chain,
    boundaries: scrubbedJson(facts.boundaries ?? {}),
    exit: facts.exit ?? null,
    stdout: facts.stdout ?? null,
    stderr: facts.stderr ?? null,
    ...(facts.children === undefined ? {} : { children: scrubbedJson(facts.children) }),
    ...(facts.places === undefined ? {} : { places: scrubbedJson(facts.places) }),
  }
  return signer === null ? seal : signSeal(seal, signer)
}

const ALGORITHM = 'ed25519'

export function signSeal(seal: Scrubbed<Kind<'tape_seal'>>, signer: Signer): Scrubbed<Kind<'tape_seal'>> {
  const signature = {
    algorithm: ALGORITHM,
    public_key: signer.publicKey,
    value: signer.sign(signedBytes(seal)),
  }
  return { ...seal, signature: fromReprise<Json>(signature) }
}

export type SignatureCheck = 'unsigned' | 'good' | 'bad'

export function checkSignature(seal: Kind<'tape_seal'>): {
  readonly check: SignatureCheck
  readonly publicKey: string | null
} {
  const signature = seal.signature
  if (signature === undefined) return { check: 'unsigned', publicKey: null }
  if (typeof signature !== 'object' || signature === null || Array.isArray(signature))
    return { check: 'bad', publicKey: null }
  const { algorithm, public_key: publicKey, value } = signature as { readonly [key: string]: Json }
  if (algorithm !== ALGORITHM || typeof publicKey !== 'string' || typeof value !== 'string')
    return { check: 'bad', publicKey: null }
  return { check: verifyEd25519(publicKey, signedBytes(seal), value) ? 'good' : 'bad', publicKey }
}

function signedBytes(seal: Kind<'tape_seal'>): Uint8Array {
  const { records, chain, boundaries, exit, stdout, stderr, children, places } = seal
  const facts = {
    records,
    chain,
    boundaries,
    exit,
    stdout,
    stderr,
    ...(children === undefined ? {} : { children }),
    ...(places === undefined ? {} : { places }),
  }
  return utf8(canonicalJson({ seal: 'reprise-tape-v1', ...facts }))
}
