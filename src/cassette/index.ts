/**
 * Terminal cassettes: versioned evidence of a terminal session, recorded from a real PTY, scrubbed, and
 * replayed without the program.
 */
export { castFrom, importCast } from './asciicast/convert.ts'
export type { Cast, CastEvent } from './asciicast/model.ts'
export { readCast } from './asciicast/read-cast.ts'
export { type CastVersion, writeCast } from './asciicast/write-cast.ts'
export type * from './codec/records.ts'
export { type CassetteDiff, diffCassettes, type ScreenDifference } from './diff.ts'
export { CASSETTE_VERSION, FILES } from './files/names.ts'
export { isCassette } from './files/read-folder.ts'
export { goDurationMs, isFresh } from './reader/freshness.ts'
export { type OpenOptions, open, openSync } from './reader/open.ts'
export type { CassetteReader, Dated } from './reader/reader.ts'
export {
  REPLAY_MODES,
  type ReplayMode,
  type ReplayOptions,
  type ReplaySink,
  replayMode,
  type Sleeper,
} from './reader/replay.ts'
export { type ScreenMoment, screenAt } from './reader/screen-at.ts'
export { fullFrames, transcript } from './reader/transcript.ts'
export { acquireRecordLock, type LockHolder, type RecordLock } from './record-lock.ts'
export { type Recorded, type RecordOptions, recordSession } from './record-session.ts'
export type { ManifestDraft } from './recorder/manifest-draft.ts'
export { createRecorder, type InputDraft, type Recorder, type RecorderOptions } from './recorder/recorder.ts'
export { type CassetteRepairReport, type RepairOptions, repairCassette } from './repair.ts'
export { type ScrubTerminalOptions, scrubTerminal } from './scrub/scrub-terminal.ts'
export {
  createTextScrubber,
  type ScrubbedString,
  type TextScrubber,
  type TextScrubberOptions,
} from './scrub/text-scrubber.ts'
export { type CassetteScrubResult, type ScrubCassetteOptions, scrubCassette } from './scrub-cassette.ts'
export { allowedEnvironment, DEFAULT_ALLOWLIST } from './session/environment.ts'
export { shellCode } from './session/exit-status.ts'
export { keyBytes, pasteBytes } from './session/keys.ts'
export { readScript, type ScriptStep } from './session/script.ts'
export { type Session, type SessionOptions, startSession } from './session/session.ts'
export type { SessionEvent } from './session/session-event.ts'
export { createStandInPty, type StandInOptions, type StandInPty } from './stand-in-pty.ts'
export { applyDelta, deltaOf, framesWithCells } from './terminal/delta.ts'
export { DEFAULT_BG, DEFAULT_FG, MODE } from './terminal/frame.ts'
export { frameSvg } from './terminal/svg.ts'
export { createTerminal, emulator, type Terminal } from './terminal/terminal.ts'
export { type CassetteFinding, type CassetteVerdict, verifyCassette } from './verify.ts'
