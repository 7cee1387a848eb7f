/**
 * `reprise view <path…>`: opens a local page on a tape, a cassette, a journal, a state folder, or two tapes
 * side by side. Ends with Ctrl-C. With `--bundle` or `--export` it writes files and ends at once.
 */
import { RepriseError } from '../../errors/index.ts'
import { type Command, type CommandInput, flagOption, textOption } from '../command.ts'
import { EXIT } from '../output.ts'
import { serveUntilEnded } from '../serve-viewer.ts'

export const view: Command = {
  name: 'view',
  arguments: '<path...>',
  help: 'show a tape, a cassette, a journal, a state folder, or two tapes, in the browser',
  options: [
    { flags: '--follow', help: 'show records while they are being recorded' },
    {
      flags: '--mode <mode>',
      help: 'how two tapes are compared: byte-identical, semantic (default), outcome or phase-aware',
    },
    { flags: '--no-open', help: 'print the address, open no browser' },
    {
      flags: '--bundle <folder>',
      help: 'write a static page that any web server or CI artefact store can show',
    },
    { flags: '--export <file>', help: 'write one HTML file that opens from disk' },
    {
      flags: '--without <parts>',
      help: 'leave out of an export: payloads, terminals, search (comma-separated)',
    },
    { flags: '--force', help: 'replace what --bundle or --export would write over' },
  ],
  tapes: 'all',
  async run(input) {
    const [{ openViewer }, { parseMode }] = await Promise.all([
      import('../../viewer/items/open-viewer.ts'),
      import('../../fidelity/modes.ts'),
    ])
    const [bundle, file] = [textOption(input, 'bundle'), textOption(input, 'export')]
    const mode = textOption(input, 'mode')
    const follow = flagOption(input, 'follow')
    if (follow && (bundle !== undefined || file !== undefined))
      throw usage('--follow goes with neither --bundle nor --export')
    const viewer = await openViewer(input.arguments, {
      follow,
      ...(mode === undefined ? {} : { mode: parseMode(mode) }),
      onProgress: await slowNote(input),
    })
    try {
      if (bundle === undefined && file === undefined)
        await serveUntilEnded(viewer, input, (url) => input.output.line(url))
      if (bundle !== undefined) await (await import('../view-files.ts')).writeBundleTo(input, viewer, bundle)
      if (file !== undefined) await (await import('../view-files.ts')).writeExportTo(input, viewer, file)
      return EXIT.fine
    } finally {
      await viewer.close()
    }
  },
}

/** The first index of a large tape can take some seconds: printed once, if it does. */
async function slowNote(input: CommandInput): Promise<(share: number) => void> {
  const { monotonicMs } = await import('../../real/clock.ts')
  const start = monotonicMs()
  let noted = false
  return (share) => {
    if (noted || share >= 1 || monotonicMs() - start < 1000) return
    noted = true
    input.output.note('reading the tape for the first time; its index is kept')
  }
}

function usage(message: string): RepriseError {
  return new RepriseError('usage', message, { hint: 'see reprise view --help' })
}
