/**
 * `reprise cassette verify DIR`: checks a cassette against itself. A judging command: exits 2 on a finding.
 */
import { type Command, type CommandInput, flagOption, jsonOption } from '../command.ts'
import { EXIT } from '../output.ts'

export const cassetteVerify: Command = {
  name: 'cassette verify',
  arguments: '<dir>',
  help: 'check a cassette: files, digests, order, chunks, frames, secrets',
  options: [jsonOption],
  run: (input) => verifyAndPrint(input, input.arguments[0] ?? ''),
}

/** Shared with `reprise verify`. */
export async function verifyAndPrint(input: CommandInput, path: string): Promise<number> {
  const { verifyCassette } = await import('../../cassette/index.ts')
  const verdict = await verifyCassette(path)
  if (flagOption(input, 'json')) input.output.json(verdict)
  else {
    for (const { severity, message, code } of verdict.findings)
      input.output.line(`${severity}: ${message} [${code}]`)
    input.output.line(
      `${path}: ${verdict.ok ? 'whole' : 'not whole'}, ${verdict.events} events`,
      verdict.ok ? 'good' : 'bad',
    )
  }
  return verdict.ok ? EXIT.fine : EXIT.finding
}
