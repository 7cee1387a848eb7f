/**
 * Records this whole process onto a tape, from before its first line to its end. Called by `reprise/register`.
 *
 * The first process that gets here and is no wrapper claims the tape by creating it; its children find it there and are left alone.
 */
import { isRepriseError } from '../errors/index.ts'
import { realCwd, realEnv, realHomedir, realTmpdir } from '../real/process.ts'
import { realProcess, startedAs } from '../real/program.ts'
import { createScrubber, ownWords, type Scrubber } from '../scrub/index.ts'
import { createHeader, createStreamingRecorder, type SealFacts, type TapeHeader, TapeWriter } from '../tape/index.ts'
import { createOutputTap } from './output-tap.ts'
import { capturedBoundaries, installForProcess } from './process-boundaries.ts'
import { onProcessEnd } from './process-end.ts'
import { programOf } from './program-facts.ts'
import { createRecordSession } from './record-session.ts'

export type RecordProcessOptions = {
  readonly tape: string
  /** The command as the user typed it. */
  readonly command: readonly string[]
}

export function recordProcess(options: RecordProcessOptions): void {
  const scrubber = createScrubber({ env: { ...realEnv } })
  const writer = claim(options, scrubber)
  if (writer === null) return
  const session = createRecordSession({ recorder: createStreamingRecorder(writer), scrubber })
  const stdout = createOutputTap(realProcess, 'stdout', scrubber)
  const stderr = createOutputTap(realProcess, 'stderr', scrubber)
  const installed = installForProcess(session, [stdout.patch, stderr.patch])
  onProcessEnd((end) => {
    installed[Symbol.dispose]()
    const facts: SealFacts = {
      boundaries: capturedBoundaries,
      exit: { code: end.code, signal: end.signal },
      stdout: stdout.facts(),
      stderr: stderr.facts(),
    }
    try {
      writer.close(ownWords(facts))
    } catch (error) {
      // The program has ended well or badly by itself; that the tape is not whole is for `reprise record` to say, which finds no seal.
      if (!isRepriseError(error)) throw error
    }
  })
}

function claim(options: RecordProcessOptions, scrubber: Scrubber): TapeWriter | null {
  try {
    return TapeWriter.open(options.tape, scrubber.value(headerOf(options), 'sent'))
  } catch (error) {
    if (isRepriseError(error) && error.code === 'out-exists') return null
    throw error
  }
}

function headerOf(options: RecordProcessOptions): TapeHeader {
  const program = programOf(startedAs, realCwd())
  const { timeZone, locale } = Intl.DateTimeFormat().resolvedOptions()
  return createHeader({
    scriptPath: program.script,
    argv: program.args,
    command: options.command,
    program,
    node: startedAs.version,
    boundaries: Object.fromEntries(Object.keys(capturedBoundaries).map((name) => [name, { mode: 'record', source: 'real' }])),
    roots: [realCwd()],
    home: realHomedir(),
    temp: realTmpdir(),
    timeZone,
    locale,
    features: [],
  })
}
