/**
 * The tape of a replay in the middle of a process, for the fidelity oracle: written to a folder of its own while the program runs, compared at the end, and
 * thrown away. Where only some boundaries of the tape are replayed there is nothing to compare with, and nothing is written.
 */
import { fs } from '../../real/fs.ts'
import { realTmpdir } from '../../real/process.ts'
import type { Scrubber } from '../../scrub/index.ts'
import { type EmittedTape, noTape } from '../replay/emitted-tape.ts'
import { openEmitted } from '../replay/open-emitted.ts'
import type { TapeIndex } from '../tape-index/tape-index.ts'
import { judgedByOracle } from '../verdict/oracle.ts'
import type { ReplayMode, ReplayReport } from '../verdict/verdict.ts'

export type ComparedRun = Disposable & {
  readonly emit: EmittedTape
  /** The report, with what the oracle has to say. */
  judge(report: ReplayReport, mode: ReplayMode): Promise<ReplayReport>
}

export function comparedRun(path: string, index: TapeIndex, scrubber: Scrubber): ComparedRun {
  if (index.isPart) return { emit: noTape, judge: async (report) => report, [Symbol.dispose]: () => undefined }
  const folder = fs.mkdtempSync(`${realTmpdir()}/reprise-replay-`)
  const out = `${folder}/run.tape`
  const { writer, tape } = openEmitted(path, out, index, scrubber)
  let ended = false
  return {
    emit: untilEnd(tape, () => ended),
    async judge(report, mode) {
      ended = true
      writer.close({})
      return await judgedByOracle(report, path, out, mode)
    },
    [Symbol.dispose]() {
      ended = true
      writer[Symbol.dispose]()
      fs.rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** What a program has left running goes on after its end, and is on no tape. */
function untilEnd(tape: EmittedTape, hasEnded: () => boolean): EmittedTape {
  const unless =
    <T extends readonly unknown[]>(write: (...args: T) => void) =>
    (...args: T): void => {
      if (!hasEnded()) write(...args)
    }
  return {
    standAt: unless(tape.standAt),
    clock: unless(tape.clock),
    random: unless(tape.random),
    fact: unless(tape.fact),
    start: unless(tape.start),
    served: unless(tape.served),
  }
}
