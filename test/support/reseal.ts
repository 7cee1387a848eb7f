/**
 * Changes the lines of a tape and seals it again, as somebody could who may write the file; with a key, as
 * its owner.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { contentHash, utf8 } from '../../src/base/index.ts'
import { ed25519Signer } from '../../src/real/signing.ts'
import { encodeRecord } from '../../src/tape/record.ts'
import { createSeal } from '../../src/tape/seal.ts'
import { encodeSigned } from '../../src/tape/seal-signature.ts'

/** `edit` gets and gives the lines before the seal: the header, then the records. */
export function reseal(
  tape: string,
  edit: (lines: readonly string[]) => readonly string[],
  privateKey?: string,
): void {
  const lines = readFileSync(tape, 'utf8').split('\n').slice(0, -1)
  const edited = edit(lines.slice(0, -1))
  const body = edited.map((line) => `${line}\n`).join('')
  const last = JSON.parse(lines.at(-1) ?? '')
  const { boundaries, exit, stdout, stderr, places } = last.kind
  const signer = privateKey === undefined ? null : ed25519Signer(privateKey)
  const kind = createSeal(edited.length - 1, contentHash(utf8(body)), {
    boundaries,
    exit,
    stdout,
    stderr,
    places,
  } as never)
  const seal = {
    ...{ seq: edited.length - 1, phase: last.phase, kind },
    ...{ virtualTimeMs: last.virtual_time_ms, monotonicMs: last.monotonic_ms },
  }
  writeFileSync(tape, `${body}${signer === null ? encodeRecord(seal) : encodeSigned(seal, signer)}\n`)
}
