/**
 * Files that may name `fromDisk` or `fromReprise`, which make a `Scrubbed` value without scrubbing it. A file
 * that no longer names one of them must leave the list.
 */
export const SCRUBBED_MAKERS: readonly string[] = [
  'src/cassette/reader/transcript.ts',
  'src/scrub/scrubbed.ts',
  'src/tape/event-tape.ts',
  'src/tape/keep-equal-lines.ts',
  'src/tape/repair.ts',
  'src/tape/scrub-kind.ts',
  'src/tape/scrub-tape.ts',
  'src/tape/seal-signature.ts',
  'src/tape/sign-tape.ts',
  'src/testbench/compose/replay-session.ts',
  'src/testbench/records/known-bytes.ts',
  'src/testbench/session/reads.ts',
  'src/testbench/session/remarks.ts',
  'src/testbench/session/received.ts',
  'src/testbench/sources/answers-source.ts',
  'src/testbench/sources/foreign/foreign-recorder.ts',
  'src/testbench/sources/second-recording.ts',
]
