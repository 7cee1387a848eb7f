/** `reprise cassette diff A B`: do two recordings show the same screens? Exits 2 if not. */
import type { CassetteDiff } from '../../cassette/diff.ts'
import { openToShow } from '../cassette-options.ts'
import { type Command, flagOption, jsonOption } from '../command.ts'
import { EXIT } from '../output.ts'

export const cassetteDiff: Command = {
  name: 'cassette diff',
  arguments: '<a> <b>',
  help: 'compare two recordings by their screens, times and ids aside',
  options: [jsonOption],
  async run(input) {
    const { createTextScrubber, diffCassettes } = await import('../../cassette/index.ts')
    const { realCwd, realHomedir } = await import('../../real/process.ts')
    const [a = '', b = ''] = input.arguments
    const scrubber = createTextScrubber({ home: realHomedir(), worktree: realCwd() })
    const result = await diffCassettes(await openToShow(input, a), await openToShow(input, b), scrubber)
    if (flagOption(input, 'json')) input.output.json(result)
    else {
      for (const { before, rows, a: left, b: right } of result.differences) {
        input.output.line(
          `screen before ${before}:${left === null ? ' only in the second' : right === null ? ' only in the first' : ''}`,
        )
        for (const row of rows) {
          input.output.line(`  row ${row}`)
          input.output.line(`  - ${left?.[row - 1] ?? ''}`)
          input.output.line(`  + ${right?.[row - 1] ?? ''}`)
        }
      }
      if (!result.exit.same) input.output.line(`exit: ${result.exit.a} and ${result.exit.b}`)
      input.output.line(verdictLine(result))
    }
    return result.same ? EXIT.fine : EXIT.finding
  },
}

function verdictLine({ same, screens, differences }: CassetteDiff): string {
  if (same) return `same: ${screens[0]} screens`
  return differences.length === 0
    ? `different: the exit, after the same ${screens[0]} screens`
    : `different: ${differences.length} of ${Math.max(...screens)} screens`
}
