/**
 * A process tape as a tape: each entry a `process_spawn`, scrubbed. A replay serves them to any call that
 * starts that program, in their order. The times are the durations, one after the other; a process tape has
 * no others.
 */
import { utf8 } from '../../base/index.ts'
import type { Scrubber } from '../../scrub/index.ts'
import { createStreamingRecorder, TapeWriter } from '../../tape/index.ts'
import { createScrubbedHeader } from '../../tape/scrubbed-header.ts'
import type { ProcessTapeEntry } from './process-tape.ts'

export type ImportOptions = { readonly out: string; readonly force: boolean; readonly scrubber: Scrubber }

export function importProcessTape(
  entries: readonly ProcessTapeEntry[],
  { out, force, scrubber }: ImportOptions,
): void {
  let passedMs = 0
  const header = createScrubbedHeader(
    { boundaries: { process: { mode: 'record', source: 'process-tape' } }, startedAtUnixMs: 0 },
    scrubber,
  )
  using writer = TapeWriter.open(out, header, { force })
  const recorder = createStreamingRecorder(writer, { now: () => passedMs, monotonicMs: () => passedMs })
  const payload = (text: string) => recorder.payloadFromBytes(scrubber.bytes(utf8(text), 'received'))
  for (const { program, args, cwd, env, stdout, stderr, exitCode, durationMs } of entries) {
    passedMs += durationMs
    const before = scrubber.hits
    const chosen = Object.fromEntries(
      Object.entries(env).map(([name, value]) => [name, scrubber.env(name, value)]),
    )
    const kind = {
      kind: 'process_spawn',
      program: scrubber.text(program, 'sent'),
      args: scrubber.argv(args),
      cwd: cwd === null ? null : scrubber.text(cwd, 'sent'),
      exitCode,
      durationMs,
      stdoutPayload: payload(stdout),
      stderrPayload: payload(stderr),
      ...(Object.keys(chosen).length === 0 ? {} : { io: { env: chosen } }),
    } as const
    recorder.record(kind, scrubber.hits - before)
  }
  writer.close({ boundaries: { process: 'captured' } })
}
