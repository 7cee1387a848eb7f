/** The `state` commands, in the order of the help. */
import type { Command } from '../command.ts'
import { stateDelete } from './state-delete.ts'
import { stateHandoff } from './state-handoff.ts'
import { stateHistory } from './state-history.ts'
import { stateInit } from './state-init.ts'
import { stateList } from './state-list.ts'
import { stateRead } from './state-read.ts'
import { stateResume } from './state-resume.ts'
import { stateSessions } from './state-sessions.ts'
import { stateWrite } from './state-write.ts'

export const stateCommands: readonly Command[] = [
  stateInit,
  stateResume,
  stateWrite,
  stateRead,
  stateList,
  stateDelete,
  stateHandoff,
  stateHistory,
  stateSessions,
]
