export type { ReplayCategory, ReplayDivergence } from './divergence.ts'
export { type ProcessSettings, registerProcess } from './register-process.ts'
export type { MatchRules } from './request-key.ts'
export type { ReplayMode, ReplayReport } from './verdict.ts'
