export type { ReplayCategory, ReplayDivergence } from './difference/divergence.ts'
export type { MatchRules } from './keys/request-key.ts'
export {
  type RecordOptionsInProcess,
  type ReplayOptionsInProcess,
  type ReplayResult,
  record,
  replay,
} from './library/in-process.ts'
export type {
  BoundarySetting,
  ClockSetting,
  NetworkSetting,
  PlainSetting,
  RandomSetting,
  TestbenchOptions,
} from './library/options.ts'
export { type Testbench, type TestbenchSession, testbench } from './library/testbench.ts'
export type { RecordSources } from './program/record-sources.ts'
export type { ProcessSettings } from './program/register-process.ts'
export {
  type RecordedOptions,
  type RecordedOutcome,
  type RunnerFacts,
  runRecorded,
  tapeOfTest,
} from './recorded-test.ts'
export type { ReplayMode, ReplayReport } from './verdict/verdict.ts'
