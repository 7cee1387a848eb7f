/** Every command, by group. A new command is one file in commands/ and one row here. */
import type { Command } from './command.ts'

export const commands: readonly Command[] = []

/** What the groups are, for the help. */
export const groups: Readonly<Record<string, string>> = {}
