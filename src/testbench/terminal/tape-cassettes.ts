/**
 * The cassettes of a tape, for the commands that read one: listed, judged, cleaned. A tape with a terminal is
 * whole only with its cassettes, each exactly the recorded one.
 */
import { scrubCassette } from '../../cassette/scrub-cassette.ts'
import { verifyCassette } from '../../cassette/verify.ts'
import { isRepriseError } from '../../errors/index.ts'
import type { Scrubber } from '../../scrub/index.ts'
import {
  cassetteHash,
  cassetteHashes,
  cassettePath,
  cassettesFolder,
  copyCassette,
  strayCassettes,
} from '../../tape/cassettes-folder.ts'
import type { Finding } from '../../tape/findings.ts'
import { type Kind, readTapeEvents } from '../../tape/index.ts'

export type TapeCassette = {
  readonly seq: number
  readonly line: number
  readonly kind: Kind<'terminal_session'>
  /** Null if the tape names none, or an invalid name. */
  readonly path: string | null
}

export function* cassettesOf(tape: string): Generator<TapeCassette> {
  for (const event of readTapeEvents(tape)) {
    if (event.type !== 'record' || event.record.kind.kind !== 'terminal_session') continue
    const { kind } = event.record
    yield { seq: event.record.seq, line: event.line, kind, path: cassettePath(tape, kind.cassette) }
  }
}

export async function* verifyCassettes(tape: string): AsyncGenerator<Finding> {
  const named = new Set<string>()
  for (const { seq, line, kind, path } of cassettesOf(tape)) {
    named.add(kind.cassette)
    const finding = (code: Finding['code'], message: string): Finding => ({
      code,
      severity: 'fault',
      line,
      seq,
      message,
    })
    if (path === null) yield finding('cassette-missing', 'the terminal has no cassette')
    else if (cassetteHash(path) === null) yield finding('cassette-missing', `there is no cassette at ${path}`)
    else {
      if (kind.manifestHash !== undefined && cassetteHash(path) !== kind.manifestHash) {
        yield finding('cassette-damaged', `${path} is not the cassette that was recorded`)
      }
      for (const message of await faultsOf(path)) yield finding('cassette-damaged', message)
    }
  }
  for (const name of strayCassettes(tape, named)) {
    const message = `${cassettesFolder(tape)}/${name} belongs to no record: left by a recording that did not end, or put there`
    yield { code: 'cassette-stray', severity: 'note', line: null, seq: null, message }
  }
}

async function faultsOf(path: string): Promise<string[]> {
  try {
    const { findings } = await verifyCassette(path)
    return findings.flatMap(({ severity, code, message }) =>
      severity === 'note' ? [] : [`${path}: ${message} (${code})`],
    )
  } catch (error) {
    if (!isRepriseError(error)) throw error
    return [`${path}: ${error.message} (${error.code})`]
  }
}

/**
 * Cleans the cassette of one record into that of another tape, or only judges it. Returns the record to
 * write, and what was found.
 */
export async function scrubCassetteOf(
  tape: string,
  out: string | null,
  kind: Kind<'terminal_session'>,
  scrubber: Scrubber,
): Promise<{ readonly kind: Kind<'terminal_session'>; readonly found: number }> {
  const path = cassettePath(tape, kind.cassette)
  if (path === null || cassetteHash(path) === null) return { kind, found: 0 }
  const { found } = await scrubCassette(path, { check: true, scrubber })
  const target = out === null ? null : cassettePath(out, kind.cassette)
  if (out === null || target === null) return { kind, found: found.length }
  if (found.length === 0) {
    copyCassette(tape, kind.cassette, out)
    return { kind, found: 0 }
  }
  await scrubCassette(path, { out: target, scrubber })
  const { manifestHash, outputHash } = cassetteHashes(target)
  const hashes = {
    ...(manifestHash === null ? {} : { manifestHash }),
    ...(outputHash === null ? {} : { outputHash }),
  }
  return { kind: { ...kind, ...hashes }, found: found.length }
}
