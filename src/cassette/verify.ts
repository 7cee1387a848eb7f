/**
 * Judges a cassette against itself: everything that `open` checks, every digest, whether the chunks cover the
 * bytes, whether the frames are what the bytes give, and whether a secret shows. Findings are data; nothing
 * is written.
 */
import { isRepriseError } from '../errors/index.ts'
import { realEnv } from '../real/process.ts'
import { createScrubber, type Scrubber } from '../scrub/index.ts'
import { readRepriseSection } from './codec/digests.ts'
import { FILES } from './files/names.ts'
import { cassetteFiles, whereCassetteIs } from './files/read-folder.ts'
import { digestProblems, loadManifest, openSync } from './reader/open.ts'
import type { CassetteReader } from './reader/reader.ts'
import { RECORDER_PREFIX } from './recorder/recorder-version.ts'
import { changes, scanFolder } from './scrub/scan-folder.ts'
import { momentsOf, replayMoments } from './terminal/moments.ts'
import { checkedSize, emulator } from './terminal/terminal.ts'

export type CassetteFinding = {
  readonly code: string
  readonly message: string
  readonly severity: 'finding' | 'note'
}
export type CassetteVerdict = {
  readonly ok: boolean
  readonly events: number
  readonly findings: readonly CassetteFinding[]
}

export async function verifyCassette(
  path: string,
  options: { readonly scrubber?: Scrubber } = {},
): Promise<CassetteVerdict> {
  const findings: CassetteFinding[] = []
  const add = (code: string, message: string, severity: CassetteFinding['severity'] = 'finding'): void =>
    void findings.push({ code, message, severity })
  const guarded = <T>(act: () => T): T | null => {
    try {
      return act()
    } catch (error) {
      if (!isRepriseError(error) || ['not-found', 'no-permission', 'io'].includes(error.code)) throw error
      add(error.code, error.message)
      return null
    }
  }
  const folder = whereCassetteIs(path)
  if (folder !== path) add('cassette-moved', `found at ${folder}: a replacement was stopped half way`)
  const reader = guarded(() => openSync(path, { digests: false }))
  const loaded = guarded(() => loadManifest(cassetteFiles(folder)))
  if (loaded !== null) {
    const { manifest, document, section } = loaded
    guarded(() => {
      for (const problem of digestProblems(cassetteFiles(folder), document, section))
        add(problem.code, problem.message)
    })
    const isOurs = manifest.provenance.recorderVersion.startsWith(RECORDER_PREFIX)
    if (isOurs !== (section !== null))
      add(
        'cassette-file-digest',
        'the manifest names Reprise as its writer, and lacks part of what Reprise writes',
      )
    else if (section === null)
      add('digests-foreign', 'written elsewhere: only output.raw is guarded by a digest', 'note')
    if (section?.incomplete) add('cassette-incomplete', 'made by repair out of a recording that never closed')
  }
  if (reader !== null) {
    checkCover(reader, add)
    guarded(() => checkSizes(reader))
    await checkFrames(reader, add)
    const scrubber = options.scrubber ?? createScrubber({ env: realEnv })
    const left = scanFolder((name) => cassetteFiles(folder).bytes(name), scrubber)
    if (left !== null) add('cassette-secret-left', `${left} holds what looks like a secret`)
    else if (changes(reader.rawOutput(), scrubber, reader.manifest().terminal.initialCols, 'output')) {
      add('cassette-secret-left', `${FILES.raw} shows what looks like a secret`)
    }
  }
  const unique = findings.filter(
    (finding, at) =>
      findings.findIndex(({ code, message }) => code === finding.code && message === finding.message) === at,
  )
  return {
    ok: !unique.some(({ severity }) => severity === 'finding'),
    events: reader?.events().length ?? 0,
    findings: unique,
  }
}

type Add = (code: string, message: string, severity?: CassetteFinding['severity']) => void

function checkCover(reader: CassetteReader, add: Add): void {
  let end = 0
  for (const chunk of reader.outputChunks()) {
    if (chunk.offset !== end) {
      add(
        'chunk-cover',
        `output chunk seq=${chunk.seq} begins at ${chunk.offset}, not where the one before ends (${end})`,
      )
      return
    }
    end += chunk.length
  }
  if (end !== reader.rawOutput().byteLength)
    add('chunk-cover', `the chunks end at ${end}, ${FILES.raw} has ${reader.rawOutput().byteLength} bytes`)
}

/** Throws on a size that no terminal has: nothing could be drawn. Zero means the default. */
function checkSizes(reader: CassetteReader): void {
  const { initialRows, initialCols } = reader.manifest().terminal
  checkedSize({ rows: initialRows || 24, cols: initialCols || 80 })
  for (const { kind, size } of reader.inputs()) if (kind === 'resize' && size !== null) checkedSize(size)
  // Some foreign writers leave the size of a frame out: the frame then has the size of the terminal.
  for (const { size } of reader.frames()) if (size.rows !== 0 || size.cols !== 0) checkedSize(size)
}

/** Only for frames that this very emulator made: another one may rightly draw another screen. */
async function checkFrames(reader: CassetteReader, add: Add): Promise<void> {
  const { terminal, optional } = reader.manifest()
  const ours = emulator()
  if (
    terminal.emulator.name !== ours.name ||
    terminal.emulator.version !== ours.version ||
    readRepriseSection(optional) === null
  )
    return
  const frames = new Map(reader.frames().map((frame) => [frame.seq, frame]))
  let differs: number | null = null
  await replayMoments(
    reader.rawOutput(),
    momentsOf(reader.events()),
    { rows: terminal.initialRows, cols: terminal.initialCols },
    (moment, screen) => {
      const frame = frames.get(moment.seq)
      if (moment.kind !== 'look' || frame === undefined || differs !== null) return
      const drawn = screen.snapshot()
      const same =
        drawn.text.join('\n') === frame.text.join('\n') &&
        drawn.cursor.row === frame.cursor.row &&
        drawn.cursor.col === frame.cursor.col
      if (!same) differs = frame.seq
    },
  )
  if (differs !== null) add('frame-differs', `frame seq=${differs} is not what ${FILES.raw} gives`)
}
