/**
 * Terminals of a program that is being recorded: each has a cassette of its own beside the tape, and the tape says in which order the program was
 * given what is in it. The cassette is where the bytes are, because only there can a secret still be masked that was painted out of order.
 *
 * The cassette is in place before the record that names it. One that cannot be written, or that would still show a secret, is a gap.
 */
import { type ContentHash, label } from '../../base/index.ts'
import type { Outcome, TerminalAction, TerminalFacts } from '../../boundaries/session.ts'
import { createRecorder, type Recorder } from '../../cassette/recorder/recorder.ts'
import { exitStatus } from '../../cassette/session/exit-status.ts'
import { fs } from '../../real/fs.ts'
import type { ScrubbedText, Scrubber } from '../../scrub/index.ts'
import { scrubbedText } from '../../scrub/scrubbed-parts.ts'
import { cassetteHashes, cassettePath, cassettesFolder } from '../../tape/cassettes-folder.ts'
import type { TapeRecorder } from '../../tape/index.ts'
import type { OutcomeWriter } from '../records/outcome-writer.ts'
import { cassetteDraft, createFrameSteps } from './cassette-draft.ts'

export type RecordedTerminals = {
  begin(id: number, facts: TerminalFacts): OutcomeWriter
  /** The program has ended: what its children have said so far is kept. */
  end(): void
}

const TERMINAL = label('terminal')
const BY_PROGRAM = label('program')

type Finished = { readonly name: ScrubbedText; readonly manifestHash: ContentHash | null; readonly outputHash: ContentHash | null }
type Exit = { readonly exitCode: number; readonly signal: number }

export function recordedTerminals(tape: string | null, recorder: TapeRecorder, scrubber: Scrubber): RecordedTerminals {
  const open = new Set<{ end(exit: Exit | null): void }>()

  const begin = (id: number, facts: TerminalFacts): OutcomeWriter => {
    const before = scrubber.hits
    const cassette = attempt(() => (tape === null ? null : openCassette(tape, id, facts, scrubber)))
    const frames = createFrameSteps(cassette)
    let offset = 0
    let n = 0

    /** Gives the name of the cassette, and what guards it. */
    const finish = (exit: Exit | null): Finished => {
      const none = { name: scrubbedText``, manifestHash: null, outputHash: null }
      if (cassette === null || tape === null) return none
      const name = scrubbedText`${recorder.nextSeq()}`
      const place = cassettePath(tape, name)
      frames.end()
      cassette.recordFinal({ exit: exit === null ? null : exitStatus(exit.exitCode, exit.signal) })
      return place !== null && attempt(() => cassette.closeSync(place)) !== null ? { name, ...cassetteHashes(place) } : none
    }
    const terminal = {
      end(exit: Exit | null): void {
        if (!open.delete(terminal)) return
        const { name, manifestHash, outputHash } = finish(exit)
        const kind = {
          kind: 'terminal_session',
          program: scrubber.text(facts.program, 'sent'),
          args: scrubber.argv(facts.args),
          cassette: name,
          exitCode: exit?.exitCode ?? null,
          of: id,
          ...(outputHash === null ? {} : { outputHash }),
          ...(manifestHash === null ? {} : { manifestHash }),
          ...(exit === null || exit.signal === 0 ? {} : { signal: exit.signal }),
          ...(exit === null ? { closedBy: BY_PROGRAM } : {}),
        } as const
        recorder.record(kind, scrubber.hits - before)
      },
    }
    open.add(terminal)
    return {
      write(outcome: Outcome) {
        if (outcome.type === 'terminal_exit') terminal.end(outcome)
        if (outcome.type !== 'chunk') return
        frames.output()
        attempt(() => cassette?.recordOutput(outcome.bytes))
        recorder.record({ kind: 'terminal_output', of: id, n, offset, lenBytes: outcome.bytes.byteLength })
        n += 1
        offset += outcome.bytes.byteLength
      },
      did(action) {
        if (cassette !== null) attempt(() => keep(cassette, action))
      },
      abandon: () => undefined,
    }
  }

  const gap = (reason: string): void => void recorder.record({ kind: 'gap', boundary: TERMINAL, reason: scrubber.text(reason, 'sent') })

  /** What goes wrong with a cassette is said on the tape, and never reaches the program. */
  const attempt = <T>(write: () => T): T | null => {
    try {
      return write()
    } catch (error) {
      gap(`a cassette could not be written: ${error instanceof Error ? error.message : String(error)}`)
      return null
    }
  }

  return {
    begin,
    end() {
      for (const terminal of [...open]) terminal.end(null)
      if (tape !== null && open.size === 0) removeIfEmpty(cassettesFolder(tape))
    },
  }
}

function openCassette(tape: string, id: number, facts: TerminalFacts, scrubber: Scrubber): Recorder {
  fs.mkdirSync(cassettesFolder(tape), { recursive: true, mode: 0o700 })
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
    // Not there, or not empty: both are as they should be.
  }
}
