export { contentHash } from '../base/index.ts'
export {
  activeRecorder,
  enterPhase,
  installRecorder,
  runWithRecorder,
  withActiveRecorder,
} from './active-recorder.ts'
export { casFolder, readCasEntry } from './cas.ts'
export {
  type DecisionEvaluation,
  type EvaluationReplay,
  recordDecisionEvaluation,
  replayEvaluations,
} from './decision-evaluation.ts'
export { EventTape, type TornLine } from './event-tape.ts'
export type { Chunk, HeaderPairs, Payload } from './fields.ts'
export type { Finding, FindingCode } from './findings.ts'
export {
  type BoundaryMode,
  createHeader,
  type HeaderFacts,
  TAPE_FORMAT_VERSION,
  type TapeHeader,
} from './header.ts'
export { type Gap, inspectTape, type RecordFilter, selectRecords, type TapeSummary } from './inspect.ts'
export {
  type Kind,
  type KindName,
  type KnownKind,
  kindName,
  type RecordKind,
  type UnknownKind,
  upstreamKinds,
} from './kinds.ts'
export { type McpCall, recordMcpJsonRpc } from './mcp-json-rpc.ts'
export { recordModelJob } from './model-job.ts'
export type { Damage, TapeEvent } from './parser.ts'
export { casReferences, MAX_INLINE_BYTES, payloadLength, payloadsOf } from './payload.ts'
export type { PayloadStream } from './payload-stream.ts'
export { prepareBlake3 } from './prepare-blake3.ts'
export { readTape, readTapeEvents } from './reader.ts'
export { rebuildRequest, requestBytes } from './rebuild-request.ts'
export { encodeRecord, type Phase, type TapeRecord } from './record.ts'
export { createStreamingRecorder, createTapeRecorder, realClock } from './recorder.ts'
export { type LostLine, type RepairReport, repairTape } from './repair.ts'
export type { RunSummary } from './run-summary.ts'
export { tapeSchema } from './schema.ts'
export { type ScrubTapeReport, scrubTape } from './scrub-tape.ts'
export type { Completeness, SealFacts } from './seal.ts'
export type { TapeClock, TapeRecorder } from './tape-recorder.ts'
export { type TapeVerdict, type VerifyOptions, verifyTape } from './verify.ts'
export { type TapeReceipt, TapeWriter, type WriterOptions } from './writer.ts'
