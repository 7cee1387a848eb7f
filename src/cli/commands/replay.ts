/** `reprise replay <tape> [-- <cmd…>]`: runs the recorded program again, from the tape alone. Exits 2 if the replay is not faithful. */
import { resolve } from 'node:path'
import { RepriseError } from '../../errors/index.ts'
import type { ReplayReport } from '../../testbench/index.ts'
import { type Command, type CommandInput, textOption } from '../command.ts'
import { EXIT } from '../output.ts'

export const replay: Command = {
  name: 'replay',
  arguments: '<tape> [cmd...]',
  help: 'run a recorded program again from its tape alone',
  options: [
    { flags: '--mode <mode>', help: 'byte-identical, semantic (default), outcome or phase-aware' },
    { flags: '--speed <factor>', help: '0 does not wait (default), 1 as long as recorded, 2 half as long' },
    { flags: '--report <file>', help: 'write the report as JSON' },
  ],
  failure: EXIT.reprise,
  async run(input) {
    const { fs } = await import('../../real/fs.ts')
    const { indexTape } = await import('../../testbench/tape-index.ts')
    const { exitCodeOf, runProgram } = await import('../run-program.ts')
    const { parseMode } = await import('../../fidelity/index.ts')
    const tape = resolve(input.arguments[0] ?? '')
    const mode = parseMode(textOption(input, 'mode') ?? 'semantic')
    const { header } = indexTape(tape)
    const command = commandOf(input, header.program)
    const root = header.roots?.[0]
    const folder = fs.mkdtempSync(`${await tempFolder()}/reprise-replay-`)
    const reportFile = `${folder}/report.json`
    try {
      const end = await runProgram({
        command,
        mode: 'replay',
        tape,
        settings: { report: reportFile, mode, speed: speedOf(input) },
        ...(root !== undefined && fs.existsSync(root) ? { cwd: root } : {}),
        ...(header.timeZone === undefined ? {} : { env: { TZ: header.timeZone } }),
      })
      if (!fs.existsSync(reportFile)) {
        throw new RepriseError('replay-no-verdict', 'the replay ended without a verdict', { hint: 'was it killed? did a Node program run at all?' })
      }
      const report: ReplayReport = JSON.parse(fs.readFileSync(reportFile, 'utf8'))
      const wanted = textOption(input, 'report')
      if (wanted !== undefined) fs.writeFileSync(wanted, `${JSON.stringify(report, null, 2)}\n`)
      printVerdict(input, report)
      return report.verdict === 'faithful' ? exitCodeOf(end) : EXIT.finding
    } finally {
      fs.rmSync(folder, { recursive: true, force: true })
    }
  },
}

function commandOf(input: CommandInput, program: { execArgs: readonly string[]; script: string; args: readonly string[] } | undefined): string[] {
  const given = input.arguments.slice(1)
  if (given.length > 0) return given
  if (program === undefined || program.script === '') {
    throw new RepriseError('replay-no-program', 'the tape does not say what to run', {
      hint: 'give the command: reprise replay <tape> -- node agent.mjs',
    })
  }
  return [process.execPath, ...program.execArgs, program.script, ...program.args]
}

function speedOf(input: CommandInput): number {
  const text = textOption(input, 'speed') ?? '0'
  const speed = Number(text)
  if (Number.isFinite(speed) && speed >= 0) return speed
  throw new RepriseError('usage', `--speed takes a number from 0 up, not ${JSON.stringify(text)}`, { hint: 'see reprise --help' })
}

async function tempFolder(): Promise<string> {
  const { realTmpdir } = await import('../../real/process.ts')
  return realTmpdir()
}

function printVerdict(input: CommandInput, report: ReplayReport): void {
  if (report.verdict === 'faithful') return
  const { output } = input
  output.note(`replay ${report.verdict}: ${report.divergences.length} divergence(s), ${report.unused.length} unused record(s)`)
  for (const reason of report.reasons) output.note(`  ${reason}`)
  for (const { message } of report.divergences.slice(0, 5)) for (const line of message.split('\n')) output.note(`  ${line}`)
  if (report.divergences.length > 5) output.note(`  and ${report.divergences.length - 5} more`)
  for (const { seq, summary } of report.unused.slice(0, 5)) output.note(`  unused: #${seq} ${summary}`)
}
