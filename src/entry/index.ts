/**
 * The root of the package: record, replay, and what both return. Everything else has an entry of its own:
 * `reprise/tape`, `reprise/scrub`, `reprise/fidelity`, `reprise/cassette`, `reprise/journal`,
 * `reprise/state`, and one per test runner.
 *
 * Decision 0341.
 */
export { type ErrorCode, errorCodes, isRepriseError, RepriseError } from '../errors/index.ts'
export { type RunSummary, readTape, type TapeEvent, type TapeVerdict, verifyTape } from '../tape/index.ts'
export {
  type BoundarySetting,
  type ClockSetting,
  type Divergence,
  type MatchRules,
  type NetworkSetting,
  type PlainSetting,
  type RandomSetting,
  type RecordOptionsInProcess,
  type ReplayCategory,
  type ReplayedRecord,
  type ReplayMode,
  type ReplayOptionsInProcess,
  type ReplayReport,
  type ReplayResult,
  record,
  replay,
  type Testbench,
  type TestbenchOptions,
  type TestbenchSession,
  testbench,
} from '../testbench/index.ts'
