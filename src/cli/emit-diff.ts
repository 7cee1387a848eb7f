/**
 * `--emit-diff`: what a run changed, from its tape, as a patch that `git apply` takes. Reports what a
 * patch cannot contain.
 */
import type { FileTree } from '../testbench/files/diff/file-tree.ts'
import { unifiedDiff } from '../testbench/files/diff/unified-diff.ts'
import { type ChangedTrees, treesOfTape } from '../testbench/files/trees-of-tape.ts'
import { plannedSteps } from '../testbench/files/write-tree.ts'
import type { Output } from './output.ts'
import { writeOutput } from './write-output.ts'

export async function emitDiff(tape: string, file: string, output: Output): Promise<void> {
  const trees = treesOfTape(tape)
  const patch = diffOf(trees)
  for (const note of shortcomings(trees)) output.note(note)
  await writePatch(file, patch)
}

export function writePatch(file: string, patch: string): Promise<void> {
  return writeOutput(file, patch)
}

export function diffOf({ before, after, unknown }: ChangedTrees): string {
  const known = (tree: FileTree): FileTree => new Map([...tree].filter(([path]) => !unknown.has(path)))
  return unifiedDiff(known(before), known(after))
}

/** What is true of the run and not to be seen in its diff. */
export function shortcomings({
  before,
  after,
  scrubbed,
  unknown,
  elsewhere,
  sealed,
}: ChangedTrees): string[] {
  const notes: string[] = []
  const steps = plannedSteps(before, after)
  const changed = new Set(steps.map(({ path }) => path))
  if (!sealed) notes.push('the tape has no seal: what the program changed last may be missing from the diff')
  for (const path of scrubbed)
    if (changed.has(path)) notes.push(`${path} holds placeholders where secrets were`)
  for (const path of unknown)
    notes.push(`${path} is too large: its content is not on the tape, nor in the diff`)
  if (elsewhere.length > 0)
    notes.push(
      `${elsewhere.length} changed file(s) outside of the first root are not in the diff: ${elsewhere.slice(0, 3).join(', ')}`,
    )
  return notes
}
