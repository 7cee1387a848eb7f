/** `reprise record -- <cmd…>`: runs a Node command and puts it on a tape. Ends with the program's own exit code. */
import { resolve } from 'node:path'
import { RepriseError } from '../../errors/index.ts'
import { type Command, flagOption, textOption } from '../command.ts'
import { EXIT } from '../output.ts'

export const record: Command = {
  name: 'record',
  arguments: '<cmd...>',
  help: 'run a Node command and put everything it takes in on a tape',
  options: [
    { flags: '--out <file>', help: 'the tape (default: run.tape)' },
    { flags: '--force', help: 'replace an existing tape' },
    { flags: '--report <file>', help: 'write a JSON report' },
  ],
  failure: EXIT.reprise,
  async run(input) {
    const { fs } = await import('../../real/fs.ts')
    const { removeTape } = await import('../../tape/writer.ts')
    const { inspectTape } = await import('../../tape/inspect.ts')
    const { exitCodeOf, runProgram } = await import('../run-program.ts')
    const tape = resolve(textOption(input, 'out') ?? 'run.tape')
    if (flagOption(input, 'force')) removeTape(tape)
    if (fs.existsSync(tape)) {
      throw new RepriseError('out-exists', `${tape} is there already`, {
        details: { path: tape },
        hint: 'choose another --out, or say --force to replace it',
      })
    }
    const end = await runProgram({ command: input.arguments, mode: 'record', tape, settings: { command: input.arguments } })
    if (!fs.existsSync(tape)) {
      throw new RepriseError('record-unclaimed', `nothing was recorded: no Node program ran in ${input.arguments.join(' ')}`, {
        hint: 'give a command that ends in Node: node, tsx, npx, npm run',
      })
    }
    const summary = inspectTape(tape)
    const report = textOption(input, 'report')
    if (report !== undefined) {
      const { damage: _damage, header: _header, ...facts } = summary
      fs.writeFileSync(report, `${JSON.stringify({ tape, exit_code: end.code, signal: end.signal, ...facts }, null, 2)}\n`)
    }
    if (!summary.sealed && end.signal === null) {
      input.output.note(`the tape ${tape} was not written whole: it has no seal; see reprise verify`)
      return EXIT.reprise
    }
    return exitCodeOf(end)
  },
}
