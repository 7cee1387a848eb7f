/**
 * Whether a tape is another system's: its header and its records have nothing that only Reprise writes. Such
 * a tape has no seal, no match keys and no order of effects; a replay serves it by the content of its
 * records.
 */
import { fieldNames } from './field-names.ts'
import { headerNames, type TapeHeader } from './header.ts'
import { upstreamKinds } from './kinds.ts'
import type { TapeRecord } from './record.ts'

const UPSTREAM_HEADER: ReadonlySet<string> = new Set([
  'version',
  'harnVersion',
  'startedAtUnixMs',
  'scriptPath',
  'argv',
])

const OWN_HEADER = headerNames.map(([name]) => name).filter((name) => !UPSTREAM_HEADER.has(name))

export function isForeignHeader(header: TapeHeader): boolean {
  return OWN_HEADER.every((name) => header[name] === undefined)
}

/** An unknown kind is not ours. */
export function isForeignRecord({ kind, scrubbed }: TapeRecord): boolean {
  if (kind.kind === 'unknown') return true
  return (
    scrubbed === undefined &&
    upstreamKinds.has(kind.kind) &&
    !ownFields(kind.kind).some((name) => name in kind)
  )
}

/** On upstream's kinds every field that may be missing is ours. */
const ownFields = fieldNames(({ presence }) => presence === 'optional')
