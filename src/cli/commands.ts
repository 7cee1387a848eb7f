/**
 * Every command, by group, in the order of the help. A new command is one row here and a file in commands/,
 * or a part of its neighbour's.
 */
import type { Command } from './command.ts'
import { annotationCommands } from './commands/annotations.ts'
import { apply } from './commands/apply.ts'
import { audit } from './commands/audit.ts'
import { auditCheck } from './commands/audit-check.ts'
import { auditExport } from './commands/audit-export.ts'
import { auditImport } from './commands/audit-import.ts'
import { auditTail } from './commands/audit-tail.ts'
import { auditVerify } from './commands/audit-verify.ts'
import { cassetteDiff } from './commands/cassette-diff.ts'
import { cassetteExport } from './commands/cassette-export.ts'
import { cassetteImport } from './commands/cassette-import.ts'
import { cassetteRecord } from './commands/cassette-record.ts'
import { cassetteReplay } from './commands/cassette-replay.ts'
import { cassetteShow } from './commands/cassette-show.ts'
import { cassetteVerify } from './commands/cassette-verify.ts'
import { completionCommand } from './commands/completion.ts'
import { debug } from './commands/debug.ts'
import { demo } from './commands/demo.ts'
import { doctor } from './commands/doctor.ts'
import { fidelity } from './commands/fidelity.ts'
import { fork } from './commands/fork.ts'
import { inspect } from './commands/inspect.ts'
import { list } from './commands/list.ts'
import { mcpDiff } from './commands/mcp-diff.ts'
import { record } from './commands/record.ts'
import { repair } from './commands/repair.ts'
import { replay } from './commands/replay.ts'
import { scrub } from './commands/scrub.ts'
import { stateHandoff } from './commands/state-handoff.ts'
import { stateHistory } from './commands/state-history.ts'
import { stateDelete, stateList, stateWrite } from './commands/state-keys.ts'
import { stateRead } from './commands/state-read.ts'
import { stateInit, stateResume, stateSessions } from './commands/state-sessions.ts'
import { textconv } from './commands/textconv.ts'
import { verify } from './commands/verify.ts'
import { view } from './commands/view.ts'
import { whatIf } from './commands/what-if.ts'
import { conversionCommand } from './formats/formats.ts'

export const commands: readonly Command[] = [
  demo,
  record,
  replay,
  list,
  debug,
  whatIf,
  fork,
  inspect,
  view,
  textconv,
  verify,
  repair,
  scrub,
  fidelity,
  doctor,
  completionCommand(() => ({ commands, groups })),
  apply,
  conversionCommand('import', 'a tape from a file of another program'),
  conversionCommand('export', 'a file for another program from a tape'),
  mcpDiff,
  ...annotationCommands,
  audit,
  auditCheck,
  auditImport,
  auditVerify,
  auditTail,
  auditExport,
  stateInit,
  stateResume,
  stateWrite,
  stateRead,
  stateList,
  stateDelete,
  stateHandoff,
  stateHistory,
  stateSessions,
  cassetteRecord,
  cassetteReplay,
  cassetteShow,
  cassetteVerify,
  cassetteExport,
  cassetteImport,
  cassetteDiff,
]

/** What the groups are, for the help. */
export const groups: Readonly<Record<string, string>> = {
  annotations: "notes on the records of a tape, in the format of Harn's recorder: check, export",
  audit: 'what a session did: show, check, import, verify, tail, export',
  state: 'agent state that outlives the process',
  mcp: 'MCP servers: what changed in one',
  cassette: 'record, replay and show terminal sessions',
}
