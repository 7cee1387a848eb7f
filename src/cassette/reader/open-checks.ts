/**
 * What makes a cassette acceptable, check by check, in the order and with the words of the format's own
 * reader, each with a code of its own.
 *
 * The last two checks are ours: the digests of the files that the format leaves unguarded, for cassettes that
 * carry them.
 */
import { type ErrorCode, RepriseError } from '../../errors/index.ts'
import { sha256 } from '../../real/sha256.ts'
import type { CassetteEvent, Emulator, Manifest, OutputRecord } from '../codec/records.ts'
import { CASSETTE_VERSION, type FileName } from '../files/names.ts'

export type ExpectedBinding = { readonly id?: string; readonly sha256?: string }

export function refuse(
  code: ErrorCode,
  reason: string,
  details: Record<string, unknown> = {},
  hint = HINTS[code],
): RepriseError {
  return new RepriseError(code, `cassette: ${reason}`, { details, ...(hint === undefined ? {} : { hint }) })
}

const HINTS: Partial<Record<ErrorCode, string>> = {
  'cassette-shape':
    'this is a folder of service events that also calls itself version 1; record the session again as a cassette',
  'cassette-version': 'use a newer Reprise',
  'cassette-feature': 'use a reader that knows them',
  'cassette-emulator': 'record again, or open it without a required emulator',
  'cassette-binding': 'this is another cassette than the one expected',
  'cassette-file-missing': 'the recording did not end, or a file was removed; try reprise repair',
  'cassette-seq': 'lines are missing or doubled; try reprise repair',
}

/** Checks 2 to 10: the manifest on its own. */
export function checkManifest(
  manifest: Manifest,
  expected: ExpectedBinding,
  required: Emulator | null,
): void {
  const { version, id, contentDigest, requiredFeatures, terminal, timing } = manifest
  if (version <= 0)
    throw refuse('cassette-version-missing', 'missing manifest.version', {}, 'is it a cassette?')
  if (version > CASSETTE_VERSION)
    throw refuse('cassette-version', `unsupported manifest.version ${version}`, { version })
  if (id === '') throw refuse('cassette-id-missing', 'missing manifest.id', {}, 'is it a cassette?')
  if (contentDigest.sha256 === '')
    throw refuse('cassette-digest-missing', 'missing manifest.content_digest.sha256', {}, 'is it a cassette?')
  if (requiredFeatures.length > 0) {
    throw refuse('cassette-feature', `unknown required feature flags: [${requiredFeatures.join(' ')}]`, {
      features: requiredFeatures,
    })
  }
  const { emulator } = terminal
  if (emulator.name === '' || emulator.version === '') {
    throw refuse('cassette-emulator-missing', 'missing manifest.terminal.emulator', {}, 'is it a cassette?')
  }
  if (expected.id && expected.id !== id)
    throw refuse('cassette-binding', `manifest id mismatch: got ${id} want ${expected.id}`, { id })
  if (expected.sha256 && expected.sha256 !== contentDigest.sha256) {
    throw refuse(
      'cassette-binding',
      `manifest digest mismatch: got ${contentDigest.sha256} want ${expected.sha256}`,
      {
        sha256: contentDigest.sha256,
      },
    )
  }
  if (required !== null && (required.name !== emulator.name || required.version !== emulator.version)) {
    const [got, want] = [`${emulator.name} ${emulator.version}`, `${required.name} ${required.version}`]
    throw refuse('cassette-emulator', `emulator mismatch: got ${got} want ${want}`, {
      got: emulator,
      want: required,
    })
  }
  if (timing.resolutionMs <= 0)
    throw refuse('cassette-resolution', 'invalid manifest.timing.resolution_ms', {}, 'is it a cassette?')
}

/** Check 12. */
export function checkRawDigest(manifest: Manifest, raw: Uint8Array): void {
  const actual = sha256(raw)
  const { sha256: wanted } = manifest.contentDigest
  if (wanted !== actual) {
    throw refuse(
      'cassette-digest',
      `output digest mismatch: manifest=${wanted} actual=${actual}`,
      { manifest: wanted, actual },
      'output.raw was changed',
    )
  }
}

/** Checks 15 and 16: one contiguous `seq` from 1 over all streams, and time that never goes back. */
export function checkOrder(events: readonly CassetteEvent[]): void {
  let want = 1
  let before = Number.NEGATIVE_INFINITY
  for (const event of events) {
    if (event.seq !== want)
      throw refuse('cassette-seq', `non-contiguous event seq got=${event.seq} want=${want}`, {
        got: event.seq,
        want,
      })
    want += 1
  }
  for (const event of events) {
    if (event.tMs < before)
      throw refuse(
        'cassette-time',
        `event t_ms regressed at seq=${event.seq}`,
        { seq: event.seq },
        'record again',
      )
    before = event.tMs
  }
}

/**
 * Check 17: a chunk lies inside output.raw and has the digest that its line names. Written so that no sum of
 * crafted numbers can wrap.
 */
export function checkChunks(chunks: readonly OutputRecord[], raw: Uint8Array): void {
  for (const chunk of chunks) {
    if (!isInside(chunk, raw))
      throw refuse(
        'cassette-chunk',
        `output chunk out of range seq=${chunk.seq}`,
        { seq: chunk.seq },
        'record again',
      )
    if (
      chunk.sha256 !== '' &&
      chunk.sha256 !== sha256(raw.subarray(chunk.offset, chunk.offset + chunk.length))
    ) {
      throw refuse(
        'cassette-chunk-digest',
        `chunk digest mismatch seq=${chunk.seq}`,
        { seq: chunk.seq },
        'output.raw or output.jsonl was changed',
      )
    }
  }
}

export function isInside(chunk: Pick<OutputRecord, 'offset' | 'length'>, raw: Uint8Array): boolean {
  return (
    chunk.offset >= 0 &&
    chunk.length >= 0 &&
    chunk.offset <= raw.byteLength &&
    chunk.length <= raw.byteLength - chunk.offset
  )
}

export function missingFile(name: FileName): RepriseError {
  return refuse('cassette-file-missing', `required artifact ${name}: no such file`, { file: name })
}
