/** Every command, by group. A new command is one file in commands/ and one row here. */
import type { Command } from './command.ts'
import { annotationCommands } from './commands/annotations.ts'
import { apply } from './commands/apply.ts'
import { auditCommands } from './commands/audit-commands.ts'
import { cassetteDiff } from './commands/cassette-diff.ts'
import { cassetteExport } from './commands/cassette-export.ts'
import { cassetteImport } from './commands/cassette-import.ts'
import { cassetteRecord } from './commands/cassette-record.ts'
import { cassetteReplay } from './commands/cassette-replay.ts'
import { cassetteShow } from './commands/cassette-show.ts'
import { cassetteVerify } from './commands/cassette-verify.ts'
import { doctor } from './commands/doctor.ts'
import { exportCommand } from './commands/export.ts'
import { fidelity } from './commands/fidelity.ts'
import { importCommand } from './commands/import.ts'
import { inspect } from './commands/inspect.ts'
import { mcpDiff } from './commands/mcp-diff.ts'
import { record } from './commands/record.ts'
import { repair } from './commands/repair.ts'
import { replay } from './commands/replay.ts'
import { scrub } from './commands/scrub.ts'
import { stateCommands } from './commands/state.ts'
import { verify } from './commands/verify.ts'
import { view } from './commands/view.ts'

export const commands: readonly Command[] = [
  record,
  replay,
  inspect,
  view,
  verify,
  repair,
  scrub,
  fidelity,
  doctor,
  apply,
  importCommand,
  exportCommand,
  mcpDiff,
  ...annotationCommands,
  ...auditCommands,
  ...stateCommands,
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
  annotations: "Harn's annotations of a tape: check, export",
  audit: 'what a session did: show, check, import, verify, tail, export',
  state: 'agent state that outlives the process',
  mcp: 'MCP servers: what changed in one',
  cassette: 'record, replay and look at terminal sessions',
}
