/**
 * `reprise cassette import FILE.cast --out DIR`: an asciicast of version 2 or 3 becomes a cassette, scrubbed
 * like any recording.
 */
import { newCassetteOptions } from '../cassette-options.ts'
import { type Command, flagOption, jsonOption, textOption } from '../command.ts'
import { EXIT } from '../output.ts'
import { readTextFile } from '../read-text-file.ts'

export const cassetteImport: Command = {
  name: 'cassette import',
  arguments: '<file>',
  help: 'make a cassette of an asciicast',
  options: [...newCassetteOptions, jsonOption],
  async run(input) {
    const { importCast, open, readCast } = await import('../../cassette/index.ts')
    const { createScrubber } = await import('../../scrub/index.ts')
    const { realEnv } = await import('../../real/process.ts')
    const path = input.arguments[0] ?? ''
    const text = await readTextFile(path)
    const out = textOption(input, 'out') ?? ''
    await importCast(readCast(text), {
      out,
      force: flagOption(input, 'force'),
      scrubber: createScrubber({ env: realEnv }),
    })
    const events = (await open(out)).events().length
    if (flagOption(input, 'json')) input.output.json({ out, events })
    else input.output.line(`${out}: ${events} events`)
    return EXIT.fine
  },
}
