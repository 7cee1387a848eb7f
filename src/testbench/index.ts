export type { ReplayCategory } from '../fidelity/categories.ts'
export type { Divergence } from '../fidelity/divergence.ts'
export type { RecordSources } from './children/record-sources.ts'
export type { MatchRules } from './keys/request-key.ts'
export { type ForkOptions, fork, type TravelResult, type WhatIfOptions, whatIf } from './library/fork.ts'
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
export type { ReplayedRecord } from './library/stop-at.ts'
export { type Testbench, type TestbenchSession, testbench } from './library/testbench.ts'
export type { ProcessSettings } from './program/register-process.ts'
export {
  type RecordedOptions,
  type RecordedOutcome,
  type RunnerFacts,
  runRecorded,
  tapeOfTest,
} from './recorded-test.ts'
export type { ReplayMode, ReplayReport } from './verdict/verdict.ts'
