/**
 * Files that may name `fromDisk` or `ownWords`, which make a `Scrubbed` value without scrubbing it. A file that no longer names one
 * of them must leave the list.
 */
export const SCRUBBED_MAKERS: readonly string[] = [
  'src/cassette/reader/transcript.ts',
  'src/cli/main.ts',
  'src/scrub/index.ts',
  'src/scrub/scrubbed.ts',
  'src/tape/event-tape.ts',
  'src/tape/mcp-json-rpc.ts',
  'src/tape/payload-stream.ts',
  'src/tape/payload.ts',
  'src/tape/recorder.ts',
  'src/tape/repair.ts',
  'src/tape/scrub-kind.ts',
  'src/tape/scrub-tape.ts',
  'src/tape/seal.ts',
  'src/testbench/keys/request-key.ts',
  'src/testbench/keys/spawn-key.ts',
  'src/testbench/llm/call-recorder.ts',
  'src/testbench/llm/start-requests.ts',
  'src/testbench/mcp/line-scrubber.ts',
  'src/testbench/mcp/records.ts',
  'src/testbench/process/child-records.ts',
  'src/testbench/process/import-process-tape.ts',
  'src/testbench/record/outcome-records.ts',
  'src/testbench/records/answers.ts',
  'src/testbench/replay/emitted-tape.ts',
  'src/testbench/replay/replay-session.ts',
  'src/testbench/terminal/recorded-terminals.ts',
]
