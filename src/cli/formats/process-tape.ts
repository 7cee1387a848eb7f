/** `reprise import|export process-tape`: Harn's recordings of subprocesses. */
import { writeNew } from '../cassette-options.ts'
import { readTextFile } from '../read-text-file.ts'
import type { ForeignFormat } from './format.ts'

export const processTape: ForeignFormat = {
  name: 'process-tape',
  help: "Harn's process tape: subprocesses with their output, as a JSON array",
  async import({ file, out, force }) {
    const { realEnv } = await import('../../real/process.ts')
    const { createScrubber } = await import('../../scrub/index.ts')
    const { readProcessTape } = await import('../../testbench/process/process-tape.ts')
    const { importProcessTape } = await import('../../testbench/process/import-process-tape.ts')
    const { entries, unknownFields } = readProcessTape(await readTextFile(file), file)
    importProcessTape(entries, { out, force, scrubber: createScrubber({ env: { ...realEnv } }) })
    const notes =
      unknownFields.length === 0
        ? []
        : [`fields that a process tape does not have are left out: ${unknownFields.join(', ')}`]
    return { count: entries.length, what: 'subprocess(es)', notes }
  },
  async export({ input, file, out }) {
    const { exportProcessTape } = await import('../../testbench/process/export-process-tape.ts')
    const { text, entries, notes } = exportProcessTape(file)
    await writeNew(input, out, text)
    return { count: entries, what: 'subprocess(es)', notes }
  },
}
