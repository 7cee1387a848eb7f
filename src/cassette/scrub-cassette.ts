/**
 * Cleans a cassette that was written elsewhere, or before a secret was known: the whole recording goes
 * through the scrubber again into a new folder. With `check` it only judges. In place, the old folder is
 * deleted, not kept: it is what held the secret.
 */

import { unreachable } from '../base/index.ts'
import { fs } from '../real/fs.ts'
import { realEnv, realPid } from '../real/process.ts'
import { createScrubber, type Scrubber } from '../scrub/index.ts'
import { FILES } from './files/names.ts'
import { cassetteFiles, trimSlash } from './files/read-folder.ts'
import { openSync } from './reader/open.ts'
import type { CassetteReader } from './reader/reader.ts'
import { draftFrom, type RebuildEvent, rebuildCassette, withLooks } from './recorder/rebuild.ts'
import { finderOf } from './scrub/finder-of.ts'
import { showsSecret } from './scrub/painted-secrets.ts'
import { changes, scanFolder } from './scrub/scan-folder.ts'
import { momentsOf } from './terminal/moments.ts'
import { inTime } from './terminal/steps.ts'

export type ScrubCassetteOptions = {
  readonly check?: boolean
  /** Default: in place. */
  readonly out?: string
  readonly force?: boolean
  readonly scrubber?: Scrubber
}

export type CassetteScrubResult = {
  readonly out: string
  /** True if nothing had to be masked. */
  readonly clean: boolean
  /** The files, or `screen`, in which something was found. */
  readonly found: readonly string[]
}

export async function scrubCassette(
  path: string,
  options: ScrubCassetteOptions = {},
): Promise<CassetteScrubResult> {
  const scrubber = options.scrubber ?? createScrubber({ env: realEnv })
  const reader = openSync(path, { digests: false })
  const found = await findSecrets(reader, scrubber)
  const out = options.out ?? path
  if (options.check === true || (found.length === 0 && options.out === undefined))
    return { out, clean: found.length === 0, found }
  const isInPlace = options.out === undefined
  const target = isInPlace ? `${trimSlash(path)}.scrubbed-${realPid}` : out
  await rebuildCassette({
    out: target,
    force: options.force ?? false,
    draft: draftFrom(reader.manifest()),
    events: eventsOf(reader),
    final: finalOf(reader),
    endMs: reader.final().tMs,
    quota: reader.quota(),
    discovery: reader.discovery(),
    preserved: reader.scrubReport().intentionallyPreserved,
    scrubber,
    incomplete: reader.incomplete,
  })
  if (isInPlace) {
    const old = `${trimSlash(reader.folder)}.unscrubbed-${realPid}`
    fs.renameSync(reader.folder, old)
    fs.renameSync(target, trimSlash(path))
    fs.rmSync(old, { recursive: true, force: true })
  }
  return { out, clean: found.length === 0, found }
}

async function findSecrets(reader: CassetteReader, scrubber: Scrubber): Promise<readonly string[]> {
  const found: string[] = []
  const { initialRows: rows, initialCols: cols } = reader.manifest().terminal
  const file = scanFolder((name) => cassetteFiles(reader.folder).bytes(name), scrubber)
  if (file !== null) found.push(file)
  if (changes(reader.rawOutput(), scrubber, cols, 'output')) found.push(FILES.raw)
  else if (
    await inTime(
      showsSecret(
        reader.rawOutput(),
        momentsOf(reader.events()),
        { rows, cols },
        finderOf(scrubber, 'received'),
      ),
    )
  )
    found.push('screen')
  return found
}

function eventsOf(reader: CassetteReader): readonly RebuildEvent[] {
  const events = reader.events().flatMap((event): RebuildEvent[] => {
    const at = { seq: event.seq, tMs: event.tMs }
    switch (event.kind) {
      case 'input':
        return [{ kind: 'input', ...at, input: event.input }]
      case 'output':
        return [{ kind: 'output', ...at, bytes: reader.outputBytes(event.output) }]
      case 'frame':
        return [{ kind: 'look', ...at }]
      case 'service-event':
        return [{ kind: 'service-event', ...at, serviceEvent: event.serviceEvent }]
      case 'final':
        return []
      default:
        return unreachable(event)
    }
  })
  return events.some((event) => event.kind === 'look') ? events : withLooks(events)
}

/** The last text is rendered again where there are frames; a caller's own is kept and scrubbed. */
function finalOf(reader: CassetteReader): Partial<ReturnType<CassetteReader['final']>> {
  const { seq: _, tMs: __, finalText, ...final } = reader.final()
  return reader.frames().length > 0 ? final : { ...final, finalText }
}
