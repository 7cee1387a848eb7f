/**
 * Hashes the payloads of every record again: upstream trusts the hash on the line, and a changed text or CAS
 * file goes unnoticed.
 */
import { contentHash } from '../base/index.ts'
import { isRepriseError } from '../errors/index.ts'
import type { Chunk, Payload } from '../tape/fields.ts'
import { payloadsOf } from '../tape/payload.ts'
import type { Side } from './align/feed.ts'
import type { Entry } from './comparable.ts'
import type { DivergenceFacts } from './divergence.ts'
import type { Ledger } from './ledger.ts'
import type { SideReading } from './reading.ts'
import type { TapeSource } from './source.ts'

/**
 * Remembers the entries it found good, up to a bound, so that a payload named a thousand times is read once.
 */
const MAX_REMEMBERED = 50_000

export function damagedPayloads(
  readings: Readonly<Record<Side, SideReading>>,
  ledger: Ledger,
): (side: Side, entry: Entry) => void {
  const good = { recorded: new Set<string>(), replayed: new Set<string>() }
  return (side, entry) => {
    for (const payload of payloadsOf(entry.record.kind)) {
      if (payload.form === 'text' || payload.form === 'base64') continue
      if (payload.form === 'cas' && good[side].has(payload.contentHash)) continue
      const why = check(payload, readings[side].source)
      if (why === null) {
        if (payload.form === 'cas' && good[side].size < MAX_REMEMBERED) good[side].add(payload.contentHash)
        continue
      }
      const [recorded, replayed] = side === 'recorded' ? [entry, null] : [null, entry]
      ledger.add(recorded, replayed, null, [facts(side, entry, payload, why)])
    }
  }
}

function check(payload: Payload | Chunk, source: TapeSource): string | null {
  try {
    const actual = contentHash(source.resolve(payload))
    return 'contentHash' in payload && actual !== payload.contentHash
      ? `its bytes have the hash ${actual}`
      : null
  } catch (error) {
    if (isRepriseError(error)) return error.code
    throw error
  }
}

function facts(side: Side, { record }: Entry, payload: Payload | Chunk, why: string): DivergenceFacts {
  const hash = 'contentHash' in payload ? payload.contentHash.slice(0, 100) : ''
  const words = { form: 'damaged', side, field: `payload ${hash}`, why } as const
  const [expected, actual] = [hash, why]
  return {
    seq: record.seq,
    category: 'payload_damaged',
    code: 'payload-damaged',
    path: '$.kind',
    expected,
    actual,
    payload: null,
    words,
  }
}
