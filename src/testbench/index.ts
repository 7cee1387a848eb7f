export type { ReplayCategory, ReplayDivergence } from './divergence.ts'
export { type RecordOptionsInProcess, type ReplayOptionsInProcess, type ReplayResult, record, replay } from './in-process.ts'
export type {
  Asked,
  ClockAsked,
  NetworkAsked,
  PlainAsked,
  RandomAsked,
  TestbenchOptions,
} from './library/options.ts'
export { type Testbench, type TestbenchSession, testbench } from './library/testbench.ts'
export type { RecordSources } from './record-process.ts'
export { type RecordedOptions, type RunnerFacts, runRecorded, tapeOfTest } from './recorded-test.ts'
export { type ProcessSettings, registerProcess } from './register-process.ts'
export type { MatchRules } from './request-key.ts'
export type { ReplayMode, ReplayReport } from './verdict.ts'
