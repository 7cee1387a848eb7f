/**
 * `reprise apply <tape>`: shows what the recorded run changed, and writes it to a folder. Refuses, with
 * nothing written, where the folder is not as the tape knew it.
 *
 * Decision 0220.
 */
import { resolve } from 'node:path'
import { shellWord } from '../../base/shell-word.ts'
import { type ErrorCode, fromSystemError, RepriseError } from '../../errors/index.ts'
import type { Conflict, PlannedStep } from '../../testbench/files/write-tree.ts'
import { type Command, type CommandInput, flagOption, textOption } from '../command.ts'
import { EXIT } from '../output.ts'

export const apply: Command = {
  name: 'apply',
  arguments: '<tape>',
  help: 'show what a recorded run changed in its files, and write it to a folder',
  options: [
    { flags: '--to <folder>', help: 'the folder to write to (default: the working directory)' },
    { flags: '--yes', help: 'do not ask' },
    { flags: '--force', help: 'write also over files that are not as the tape knew them, and into .git' },
    { flags: '--json', help: 'one JSON document; writes only with --yes' },
  ],
  tapes: 'first',
  run: (input) =>
    applyTape(input, input.arguments[0] ?? '', textOption(input, 'to') ?? '.', {
      yes: flagOption(input, 'yes'),
      force: flagOption(input, 'force'),
    }),
}

/** Shows what the run on this tape changed, and writes it to the folder if the user agrees. */
export async function applyTape(
  input: CommandInput,
  tape: string,
  to: string,
  { yes, force }: { readonly yes: boolean; readonly force: boolean },
): Promise<number> {
  const { treesOfTape } = await import('../../testbench/files/trees-of-tape.ts')
  const { findConflicts, plannedSteps, writeSteps } = await import('../../testbench/files/write-tree.ts')
  const { diffOf, shortcomings } = await import('../emit-diff.ts')
  const folder = resolve(to)
  const trees = treesOfTape(resolve(tape))
  const steps = plannedSteps(trees.before, trees.after)
  const diff = diffOf(trees)
  const { damageIn } = await import('../../tape/findings.ts')
  const { verifyTape } = await import('../../tape/verify.ts')
  const damage = damageIn((await verifyTape(resolve(tape))).findings)
  const conflicts: readonly Conflict[] = [
    ...damage.map(({ message }) => ({
      path: tape,
      reason: `the tape is not whole: ${message}`,
    })),
    ...(trees.sealed
      ? []
      : [
          {
            path: tape,
            reason: 'has no seal: what the run changed may be missing from it',
          },
        ]),
    ...steps.flatMap(({ path }) =>
      trees.unknown.has(path) ? [{ path, reason: 'its content is not on the tape' }] : [],
    ),
    ...steps.flatMap(({ path }) =>
      trees.scrubbed.has(path) ? [{ path, reason: 'holds placeholders where secrets were' }] : [],
    ),
    ...steps.flatMap(({ path }) =>
      isGits(path) ? [{ path, reason: 'belongs to git, which runs files of this folder' }] : [],
    ),
    ...inFolder(folder, () => findConflicts(folder, steps)),
  ]
  const notes = shortcomings(trees)
  const mayWrite =
    steps.length > 0 &&
    (conflicts.length === 0 ||
      (force && trees.unknown.size === 0 && damage.length === 0 && !conflicts.some(isBlocking)))
  const asJson = flagOption(input, 'json')
  if (!asJson) show(input, diff, steps, notes)
  const agreed = mayWrite && (yes || (await agrees(input, folder, steps.length)))
  if (agreed) {
    try {
      await writeSteps(folder, steps)
    } catch (error) {
      throw fromSystemError(error, 'write to', folder)
    }
  }
  if (asJson) {
    input.output.json({ folder, written: agreed, files: steps.map(summary), conflicts, notes, diff })
    return conflicts.length > 0 && !agreed ? EXIT.finding : EXIT.fine
  }
  if (conflicts.length > 0 && !mayWrite) {
    for (const { path, reason } of conflicts) input.output.note(`${path}: ${reason}`)
    input.output.note(
      `nothing was written to ${folder}: ${conflicts.length} conflict(s) [${CONFLICT}]; hint: ${hint(tape, to)}`,
    )
    return EXIT.finding
  }
  input.output.line(
    agreed ? `written to ${folder}: ${steps.length} file(s) and folder(s)` : 'nothing was written',
  )
  return EXIT.fine
}

function isBlocking(conflict: Conflict): boolean {
  return conflict.blocks === true
}

/**
 * Hooks are programs, and a configuration can name some: none of it is written without --force.
 */
function isGits(path: string): boolean {
  return path.split('/').some((part) => part.toLowerCase() === '.git')
}

const CONFLICT: ErrorCode = 'files-conflict'

/** The whole command: `reprise fork --apply` has this hint too, and another `--force`. */
function hint(tape: string, to: string): string {
  const command = ['reprise', 'apply', tape, '--to', to, '--force'].map(shellWord).join(' ')
  return `apply it to a folder that is as it was when the run was recorded, or write over it: ${command}`
}

function show(
  input: CommandInput,
  diff: string,
  steps: readonly PlannedStep[],
  notes: readonly string[],
): void {
  for (const line of diff.split('\n').slice(0, -1)) input.output.line(line)
  // What git's format has no word for.
  for (const step of steps) {
    const { path, change } = summary(step)
    if (step.before?.kind === 'folder' || step.after?.kind === 'folder')
      input.output.line(`${change} ${path}/`)
  }
  for (const note of notes) input.output.note(note)
}

function summary({ path, before, after }: PlannedStep): {
  readonly path: string
  readonly change: 'added' | 'deleted' | 'changed'
  readonly kind: string
} {
  const kind = (after ?? before)?.kind ?? 'file'
  return { path, change: before === null ? 'added' : after === null ? 'deleted' : 'changed', kind }
}

async function agrees(input: CommandInput, folder: string, count: number): Promise<boolean> {
  if (flagOption(input, 'json')) return false
  const { stdinIsTerminal } = await import('../../real/process.ts')
  if (!stdinIsTerminal())
    throw new RepriseError('usage', 'nothing was written: there is no terminal to ask on', {
      hint: 'pass --yes to write',
    })
  const { askOnTerminal } = await import('../../real/ask.ts')
  const { printable } = await import('../../base/index.ts')
  return /^y(?:es)?$/i.test(
    (await askOnTerminal(`write ${count} change(s) to ${printable(folder)}? [y/N] `)).trim(),
  )
}

function inFolder<T>(folder: string, look: () => T): T {
  try {
    return look()
  } catch (error) {
    throw fromSystemError(error, 'apply to', folder)
  }
}
