/** `replay --view`: the tape and the tape of this run, next to each other. Reports a run that wrote none. */
import type { FidelityMode } from '../fidelity/index.ts'
import type { CommandInput } from './command.ts'

export async function showBoth(
  input: CommandInput,
  recorded: string,
  replayed: string,
  mode: FidelityMode,
): Promise<void> {
  const { fs } = await import('../real/fs.ts')
  if (!fs.existsSync(replayed)) {
    input.output.note('this run wrote no tape, so there is nothing to compare')
    return
  }
  const { openViewer } = await import('../viewer/items/open-viewer.ts')
  const { serveUntilEnded } = await import('./serve-viewer.ts')
  const viewer = await openViewer([recorded, replayed], { mode })
  try {
    await serveUntilEnded(viewer, input, (url) => input.output.note(`both runs: ${url}`))
  } finally {
    await viewer.close()
  }
}
