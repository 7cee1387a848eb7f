/**
 * Checkpoints: how much of a session had been written when, in `<session>.checkpoints.jsonl`. Each holds the
 * number of lines and bytes from the session's beginning (rotated parts included) and a BLAKE3 chain over the
 * previous checkpoint's chain and the bytes since, so any process can make the next one, and a journal whose
 * tail was cut off no longer reaches its last checkpoint.
 *
 * Unsigned, they show accidents: anyone who can write the journal can write new checkpoints. Signed
 * (Ed25519), they show tampering, to anyone who has the public key.
 *
 * Decision 0054.
 */
import { canonicalJson, createBlake3, faultPoint, isObject, parseJson, utf8 } from '../../base/index.ts'
import { fromSystemError, RepriseError, systemCode } from '../../errors/index.ts'
import { fs } from '../../real/index.ts'
import { type Signer, verifyEd25519 } from '../../real/signing.ts'

export type Checkpoint = {
  /** Lines from the beginning of the session. */
  readonly count: number
  /** Highest seq among them. */
  readonly seq: number
  readonly bytes: number
  readonly chain: string
  readonly at: string
  readonly signature?: CheckpointSignature
}
type CheckpointSignature = {
  readonly algorithm: 'ed25519'
  readonly public_key: string
  readonly value: string
}

/** The chain of a checkpoint, fed with the bytes since the previous one. */
export function checkpointChain(previous: string): { update(bytes: Uint8Array): void; digest(): string } {
  const hash = createBlake3()
  hash.update(utf8(previous))
  return hash
}

export function signCheckpoint(session: string, checkpoint: Checkpoint, signer: Signer | null): Checkpoint {
  if (signer === null) return checkpoint
  const value = signer.sign(signedBytes(session, checkpoint))
  return { ...checkpoint, signature: { algorithm: 'ed25519', public_key: signer.publicKey, value } }
}

export function signatureHolds(session: string, checkpoint: Checkpoint): boolean {
  const { signature } = checkpoint
  return (
    signature !== undefined &&
    verifyEd25519(signature.public_key, signedBytes(session, checkpoint), signature.value)
  )
}

/** The session is part of what is signed: a checkpoint of one session does not count for another. */
function signedBytes(session: string, { count, seq, bytes, chain, at }: Checkpoint): Uint8Array {
  return utf8(`reprise-journal-checkpoint-v1\n${canonicalJson({ session, count, seq, bytes, chain, at })}`)
}

export type CheckpointList = {
  readonly checkpoints: readonly Checkpoint[]
  /** Lines that are no checkpoint: a torn end, or tampering. */
  readonly damaged: readonly { readonly line: number; readonly reason: string }[]
}

export function readCheckpoints(path: string): CheckpointList {
  const text = readOrEmpty(path)
  const checkpoints: Checkpoint[] = []
  const damaged: { line: number; reason: string }[] = []
  text.split('\n').forEach((line, index, lines) => {
    if (line === '') return
    const checkpoint = index === lines.length - 1 ? null : parseCheckpoint(line)
    if (checkpoint === null)
      damaged.push({ line: index + 1, reason: index === lines.length - 1 ? 'torn' : 'not a checkpoint' })
    else checkpoints.push(checkpoint)
  })
  return { checkpoints, damaged }
}

/** Appends one line; a torn end that a crash left is cut off first. */
export function appendCheckpoint(path: string, checkpoint: Checkpoint, sync: boolean): void {
  const text = readOrEmpty(path)
  const handle = fs.openSync(path, 'a+', 0o600)
  try {
    if (text !== '' && !text.endsWith('\n'))
      fs.ftruncateSync(handle, Buffer.byteLength(text.slice(0, text.lastIndexOf('\n') + 1)))
    faultPoint('journal:checkpoint')
    fs.writeSync(handle, `${JSON.stringify(checkpoint)}\n`)
    if (sync) fs.fsyncSync(handle)
  } finally {
    fs.closeSync(handle)
  }
}

function parseCheckpoint(line: string): Checkpoint | null {
  let value: unknown
  try {
    value = parseJson(line)
  } catch {
    // Reported by the caller as damage.
    return null
  }
  if (!isObject(value)) return null
  const { count, seq, bytes, chain, at, signature } = value
  const numbers = [count, seq, bytes].every((number) => Number.isSafeInteger(number))
  if (!numbers || typeof chain !== 'string' || typeof at !== 'string') return null
  if (signature !== undefined && !isSignature(signature)) return null
  return { count, seq, bytes, chain, at, ...(signature === undefined ? {} : { signature }) } as Checkpoint
}

function isSignature(value: unknown): value is CheckpointSignature {
  return (
    isObject(value) &&
    value.algorithm === 'ed25519' &&
    typeof value.public_key === 'string' &&
    typeof value.value === 'string'
  )
}

function readOrEmpty(path: string): string {
  try {
    // A pipe in its place is not waited for.
    if (fs.statSync(path).isFile()) return fs.readFileSync(path, 'utf8')
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return ''
    throw fromSystemError(error, 'read', path)
  }
  throw new RepriseError('not-a-file', `cannot read ${path}: it is not a regular file`, {
    details: { path },
    hint: 'remove it, or put the checkpoints back',
  })
}
