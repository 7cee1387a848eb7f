/**
 * The hash by which a sidecar names its tape: BLAKE3 over every record as upstream would write it (its own
 * fields of its own kinds, anything else as `unknown`), each without its `type` and with a line break. Header
 * and CAS are not part of it.
 */
import { type ContentHash, createBlake3, utf8 } from '../../base/index.ts'
import { type KindName, kinds, upstreamKinds } from '../../tape/kinds.ts'
import type { TapeEvent } from '../../tape/parser.ts'
import { encodeRecord, type TapeRecord } from '../../tape/record.ts'

const TYPE = '"type":"record",'
/** Hashing costs least in large pieces. */
const BATCH_CHARS = 256 * 1024

export function tapeContentHasher(): {
  add(event: Extract<TapeEvent, { type: 'record' }>): void
  digest(): ContentHash
} {
  const hash = createBlake3()
  let batch = ''
  return {
    add({ record, text }) {
      batch += `${upstreamText(record, text)}\n`
      if (batch.length < BATCH_CHARS) return
      hash.update(utf8(batch))
      batch = ''
    },
    digest() {
      hash.update(utf8(batch))
      batch = ''
      return hash.digest()
    },
  }
}

function upstreamText(record: TapeRecord, text: string): string {
  const stripped = stripOurs(record)
  const encoded = encodeRecord(stripped)
  // A line in upstream's own words is taken as it stands: numbers beyond 2^53 keep their digits.
  return withoutType(
    stripped === record && (text === encoded || withoutLongNumbers(text) === withoutLongNumbers(encoded))
      ? text
      : encoded,
  )
}

function withoutLongNumbers(line: string): string {
  return line.replace(/\d{16,}/g, '#')
}

function withoutType(line: string): string {
  return line.startsWith(`{${TYPE}`) ? `{${line.slice(TYPE.length + 1)}` : line
}

function stripOurs(record: TapeRecord): TapeRecord {
  const { kind } = record
  if (kind.kind === 'unknown' || !upstreamKinds.has(kind.kind)) return plain({ ...record, kind: UNKNOWN })
  const table: { readonly [name: string]: { readonly presence: string } } = kinds[kind.kind as KindName]
  const ours = Object.keys(kind).filter((name) => name === 'extra' || table[name]?.presence === 'optional')
  if (ours.length === 0) return record.scrubbed === undefined ? record : plain(record)
  const theirs = Object.fromEntries(Object.entries(kind).filter(([name]) => !ours.includes(name)))
  return plain({ ...record, kind: theirs as TapeRecord['kind'] })
}

const UNKNOWN = { kind: 'unknown', name: 'unknown', json: '{"kind":"unknown"}' } as const

function plain({ seq, phase, virtualTimeMs, monotonicMs, kind }: TapeRecord): TapeRecord {
  return { seq, phase, virtualTimeMs, monotonicMs, kind }
}
