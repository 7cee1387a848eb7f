/**
 * What makes a replay unverified although nothing differs: another program than the recorded one, or native
 * code that only the replay allows.
 */
import { join } from 'node:path'
import { contentHash } from '../../base/index.ts'
import type { VouchedAddons } from '../../boundaries/process/addons.ts'
import type { TapeHeader } from '../../tape/index.ts'
import { isEvaluated } from './program-facts.ts'
import type { ReadModule } from './program-modules.ts'

/**
 * Addons that the recording allowed, and those that only the replay allows; `doubts` names those of the
 * latter that ran.
 */
export function vouchedAddons(
  recorded: readonly string[],
  now: readonly string[],
): VouchedAddons & { doubts(): string[] } {
  const known = new Set(recorded)
  const ran = new Set<string>()
  return {
    names: new Set([...recorded, ...now]),
    used: (name) => void (known.has(name) || ran.add(name)),
    doubts: () =>
      [...ran].map((name) => `the native addon ${name} ran: --allow-addon was given to the replay alone`),
  }
}

/**
 * Names both programs if another one runs. `now` is scrubbed as the header is. A script with the recorded
 * content is the same under any name.
 */
export function otherProgram(
  { program, modules }: TapeHeader,
  now: Program,
  root: string,
  read: ReadModule,
): string[] {
  if (program === undefined || program.script === '-') return []
  if (isSame(program, now)) return []
  const digest = modules?.[program.script]
  const content = now.script === '' ? null : (read(now.script) ?? read(join(root, now.script)))
  if (digest !== undefined && content !== null && contentHash(content) === digest)
    return otherArguments(program, now)
  return [`another program ran: recorded was ${shown(program)}, this is ${shown(now)}`]
}

type Program = NonNullable<TapeHeader['program']>

function isSame(recorded: Program, now: Program): boolean {
  return (
    recorded.script === now.script &&
    sourceOf(recorded) === sourceOf(now) &&
    otherArguments(recorded, now).length === 0
  )
}

function otherArguments(recorded: Program, now: Program): string[] {
  if (JSON.stringify(recorded.args) === JSON.stringify(now.args)) return []
  return [`the program ${shown(now)} ran with other arguments than ${shown(recorded)} when recorded`]
}

function sourceOf({ execArgs }: Program): string {
  return isEvaluated(execArgs) ? JSON.stringify(execArgs) : ''
}

function shown({ script, execArgs }: Program): string {
  return isEvaluated(execArgs) ? 'inline source' : script
}
