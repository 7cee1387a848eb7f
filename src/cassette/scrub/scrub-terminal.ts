/**
 * A whole terminal stream, scrubbed in memory: the stream first, then every screen that it shows. What a
 * recording does between its first chunk and its manifest, for callers who have the bytes and need no
 * cassette.
 */

import { RepriseError } from '../../errors/index.ts'
import { realEnv } from '../../real/process.ts'
import { createScrubber, type Scrubber } from '../../scrub/index.ts'
import type { Size } from '../codec/records.ts'
import type { Moment } from '../terminal/moments.ts'
import { inTime } from '../terminal/steps.ts'
import { finderOf } from './finder-of.ts'
import { maskPaintedSecrets, showsSecret } from './painted-secrets.ts'
import { createTerminalScrubber } from './stream-scrubber.ts'

export type ScrubTerminalOptions = { readonly size?: Size; readonly scrubber?: Scrubber }

const MOST_PASSES = 4

/** As many bytes as came in, chunk by chunk. */
export async function scrubTerminal(
  chunks: readonly Uint8Array[],
  options: ScrubTerminalOptions = {},
): Promise<readonly Uint8Array[]> {
  const size = options.size ?? { rows: 24, cols: 80 }
  const finder = finderOf(options.scrubber ?? createScrubber({ env: realEnv }), 'received')
  const stream = createTerminalScrubber(finder, size.cols)
  const parts = chunks.map((chunk) => stream.push(chunk))
  const raw = Buffer.concat([...parts, stream.end()])
  const moments: Moment[] = []
  let at = 0
  for (const chunk of chunks) {
    moments.push({ kind: 'output', seq: moments.length + 1, tMs: 0, start: at, end: at + chunk.byteLength })
    at += chunk.byteLength
  }
  if (stream.outOfOrder) {
    for (let pass = 0; await inTime(showsSecret(raw, moments, size, finder)); pass += 1) {
      if (pass === MOST_PASSES || (await inTime(maskPaintedSecrets(raw, moments, size, finder))) === 0) {
        throw new RepriseError('cassette-secret-left', 'a secret would still show on the screen')
      }
    }
  }
  return moments.map((moment) =>
    moment.kind === 'output' ? raw.subarray(moment.start, moment.end) : new Uint8Array(),
  )
}
