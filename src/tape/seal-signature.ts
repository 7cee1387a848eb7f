/**
 * The signature of a seal (Ed25519). It covers the whole line of the seal as it is in the file: times, fields
 * that a reader does not know, their order. Signatures without a version cover only the known facts of the
 * seal; they are checked, and no longer made.
 *
 * Decision 0482.
 */
import { canonicalJson, type Json, utf8 } from '../base/index.ts'
import { type Signer, verifyEd25519 } from '../real/signing.ts'
import type { Scrubbed } from '../scrub/index.ts'
import { fromReprise } from '../scrub/scrubbed.ts'
import type { Kind } from './kinds.ts'
import { encodeRecord, type TapeRecord } from './record.ts'

const ALGORITHM = 'ed25519'
/** The line with an empty value. */
const VERSION = 2

type SealRecord = Scrubbed<TapeRecord & { readonly kind: Kind<'tape_seal'> }>

/** The line of the seal, signed. */
export function encodeSigned(record: SealRecord, signer: Signer): string {
  const line = (value: string): string => {
    const signature = { algorithm: ALGORITHM, public_key: signer.publicKey, version: VERSION, value }
    return encodeRecord({ ...record, kind: { ...record.kind, signature: fromReprise<Json>(signature) } })
  }
  return line(signer.sign(lineBytes(line(''))))
}

export type SignatureCheck = 'unsigned' | 'good' | 'bad'

/** `line` is the text of the seal's line. */
export function checkSignature(
  seal: Kind<'tape_seal'>,
  line: string,
): { readonly check: SignatureCheck; readonly publicKey: string | null } {
  const signature = seal.signature
  if (signature === undefined) return { check: 'unsigned', publicKey: null }
  if (typeof signature !== 'object' || signature === null || Array.isArray(signature))
    return { check: 'bad', publicKey: null }
  const fields = signature as { readonly [key: string]: Json }
  const { algorithm, public_key: publicKey, version, value } = fields
  if (algorithm !== ALGORITHM || typeof publicKey !== 'string' || typeof value !== 'string')
    return { check: 'bad', publicKey: null }
  const message = version === undefined ? factBytes(seal) : version === VERSION ? unsigned(line, value) : null
  const isGood = message !== null && verifyEd25519(publicKey, message, value)
  return { check: isGood ? 'good' : 'bad', publicKey }
}

/** The signed bytes of a line; null if it has the value not exactly once. */
function unsigned(line: string, value: string): Uint8Array | null {
  const parts = line.split(`"value":${JSON.stringify(value)}`)
  return parts.length === 2 ? lineBytes(parts.join('"value":""')) : null
}

function lineBytes(line: string): Uint8Array {
  return utf8(`reprise-tape-seal-v${VERSION}\n${line}`)
}

/** The message of signatures without a version. */
function factBytes(seal: Kind<'tape_seal'>): Uint8Array {
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
