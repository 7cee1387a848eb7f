/**
 * Where the output and input of a terminal go while it is recorded: a cassette next to the tape.
 *
 * Decision 0161.
 */
import { type ContentHash, label } from '../../base/index.ts'
import type { TerminalAction, TerminalFacts } from '../../boundaries/session.ts'
import { createRecorder, type Recorder } from '../../cassette/recorder/recorder.ts'
import { exitStatus } from '../../cassette/session/exit-status.ts'
import { fs } from '../../real/fs.ts'
import type { ScrubbedText, Scrubber } from '../../scrub/index.ts'
import { scrubbedText } from '../../scrub/scrubbed-parts.ts'
import {
  cassetteHashes,
  cassettePath,
  cassettesFolder,
  makeCassettesFolder,
} from '../../tape/cassettes-folder.ts'
import type { Tools } from '../session/family.ts'
import { cassetteDraft, createFrameSteps } from './cassette-draft.ts'

export type CassetteSink = {
  /** Secrets masked in data from a tape. */
  readonly scrubbed: number
  output(bytes: Uint8Array): void
  did(action: TerminalAction): void
  /** Returns the name of the cassette, and the hashes that guard it. */
  close(exit: { readonly exitCode: number; readonly signal: number } | null): Finished
}

type Finished = {
  readonly name: ScrubbedText
  readonly manifestHash: ContentHash | null
  readonly outputHash: ContentHash | null
}

const TERMINAL = label('terminal')
const NONE: Finished = { name: scrubbedText``, manifestHash: null, outputHash: null }

export function cassetteSinks({ out: tape, recorder, scrubber }: Tools): {
  open(id: number, facts: TerminalFacts): CassetteSink
  end(): void
} {
  /** A failure of a cassette is a gap on the tape, and never reaches the program. */
  const attempt = <T>(write: () => T): T | null => {
    try {
      return write()
    } catch (error) {
      const reason = `a cassette could not be written: ${error instanceof Error ? error.message : String(error)}`
      recorder.record({ kind: 'gap', boundary: TERMINAL, reason: scrubber.text(reason, 'sent') })
      return null
    }
  }

  return {
    open(id, facts) {
      const cassette = attempt(() => (tape === null ? null : openCassette(tape, id, facts, scrubber)))
      const frames = createFrameSteps(cassette)
      return {
        scrubbed: 0,
        output(bytes) {
          frames.output()
          attempt(() => cassette?.recordOutput(bytes))
        },
        did(action) {
          if (cassette !== null) attempt(() => keep(cassette, action))
        },
        close(exit) {
          if (cassette === null || tape === null) return NONE
          const name = scrubbedText`${recorder.nextSeq()}`
          const place = cassettePath(tape, name)
          frames.end()
          cassette.recordFinal({ exit: exit === null ? null : exitStatus(exit.exitCode, exit.signal) })
          return place !== null && attempt(() => cassette.closeSync(place)) !== null
            ? { name, ...cassetteHashes(place) }
            : NONE
        },
      }
    },
    end() {
      if (tape !== null) removeIfEmpty(cassettesFolder(tape))
    },
  }
}

function openCassette(tape: string, id: number, facts: TerminalFacts, scrubber: Scrubber): Recorder {
  makeCassettesFolder(tape)
  return createRecorder(`${cassettesFolder(tape)}/effect-${id}`, cassetteDraft(facts), { scrubber })
}

function keep(cassette: Recorder, action: TerminalAction): void {
  switch (action.type) {
    case 'write':
      cassette.recordInput({ bytes: action.bytes })
      return
    case 'resize':
      cassette.recordInput({ kind: 'resize', size: { rows: action.rows, cols: action.cols } })
      return
    case 'signal':
      cassette.recordInput({ kind: 'signal', signal: action.signal })
      return
  }
}

function removeIfEmpty(folder: string): void {
  try {
    fs.rmdirSync(folder)
  } catch {
    // Missing or not empty: both are fine.
  }
}
