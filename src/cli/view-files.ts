/** `reprise view --bundle` and `--export`: writes the viewer as files. */
import { resolve } from 'node:path'
import { RepriseError } from '../errors/index.ts'
import type { OpenViewer } from '../viewer/items/open-viewer.ts'
import { PARTS, type Part, writeBundle } from '../viewer/server/bundle.ts'
import { writeExport } from '../viewer/server/export.ts'
import { builtPageFolder, readPage } from '../viewer/server/page-files.ts'
import { type CommandInput, flagOption, textOption } from './command.ts'

/** A larger file is slow to open in a browser. */
const LARGE_BYTES = 50 * 1024 * 1024

export async function writeBundleTo(input: CommandInput, viewer: OpenViewer, folder: string): Promise<void> {
  const options = { force: flagOption(input, 'force'), without: withoutOf(input) }
  const sizeBytes = await writeBundle(viewer, readPage(builtPageFolder()), resolve(folder), options)
  input.output.line(
    `${folder}: ${megabytes(sizeBytes)}, to be shown by a web server that answers range requests`,
  )
}

export async function writeExportTo(input: CommandInput, viewer: OpenViewer, file: string): Promise<void> {
  const options = { force: flagOption(input, 'force'), without: withoutOf(input) }
  const sizeBytes = await writeExport(viewer, readPage(builtPageFolder()), resolve(file), options)
  input.output.line(`${file}: ${megabytes(sizeBytes)}, opens from disk`)
  if (sizeBytes > LARGE_BYTES) {
    input.output.note(
      `${file} is large and slow to open: leave parts out with --without payloads,terminals,search, or use --bundle`,
    )
  }
}

function withoutOf(input: CommandInput): ReadonlySet<Part> {
  const names = (textOption(input, 'without') ?? '').split(',').filter((name) => name !== '')
  return new Set(
    names.map((name) => {
      const part = PARTS.find((known) => known === name)
      if (part === undefined)
        throw new RepriseError('usage', `--without takes ${PARTS.join(', ')}, not ${JSON.stringify(name)}`, {
          hint: 'see reprise view --help',
        })
      return part
    }),
  )
}

function megabytes(bytes: number): string {
  return bytes < 100_000 ? `${bytes} bytes` : `${(bytes / 1e6).toFixed(1)} MB`
}
