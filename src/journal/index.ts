export { type AuditInput, openAuditInput } from './audit-input.ts'
export {
  categoryOfKind,
  eventCategory,
  eventPrimitive,
  isKernelOsEvent,
  primitiveOfCategory,
  primitiveOfKind,
  withCategory,
} from './events/category.ts'
export { type Decoded, decodeEvent, parseSessionEvent } from './events/decode.ts'
export {
  type Category,
  type Content,
  type ContentPart,
  categories,
  type Message,
  type Primitive,
  primitives,
  type RollbackReason,
  type ToolCall,
  type ToolResult,
} from './events/fields.ts'
export type { AppendOptions, FollowOptions, Journal, JournalEntry, ReadOptions } from './events/journal.ts'
export {
  type EventKind,
  eventKindNames,
  type ForeignEvent,
  isKnownEvent,
  isKnownKind,
  type KnownEvent,
  type SessionEvent,
  type SessionEventOf,
} from './events/kinds.ts'
export type { EventProblem } from './events/problems.ts'
export {
  type CategoryFinding,
  type CategoryLevel,
  type CategoryReport,
  checkRequiredCategories,
  sessionLogHasRequiredCategories,
} from './events/required-categories.ts'
export { type UnknownValue, unknownValues } from './events/unknown-values.ts'
export { csvHeader, csvRow } from './exporters/csv.ts'
export { otlpDocument } from './exporters/otlp.ts'
export type { JournalDamage } from './file/decode-lines.ts'
export { type FileJournal, type FileJournalOptions, openJournal } from './file/file-journal.ts'
export { readJournal } from './file/read-journal.ts'
export type { Repair } from './file/repair-tail.ts'
export { type SessionFiles, sessionFiles } from './file/session-files.ts'
export { type JournalFinding, type JournalVerdict, verifyJournal } from './file/verify-journal.ts'
export { type ImportedLog, importLog } from './importers/import-log.ts'
export type { ImportMap } from './importers/log-importer.ts'
export { openPostgresJournal, type PostgresJournalOptions } from './postgres/postgres-journal.ts'
export { createFold, fold, rebuildOsSnapshot, type SnapshotFold } from './snapshot/fold.ts'
export {
  type BudgetRecord,
  type BudgetUsageRecord,
  type CancellationRecord,
  emptyOsSnapshot,
  type FoldOptions,
  type OsSnapshot,
  type ProcessRecord,
  type SignalRecord,
  type SnapshotCompat,
  type SuspendRecord,
} from './snapshot/os-snapshot.ts'
export { parseOsSnapshot } from './snapshot/parse-snapshot.ts'
export { createExtendedView, type ExtendedView, extendedView, type ViewFold } from './view/extended-view.ts'
