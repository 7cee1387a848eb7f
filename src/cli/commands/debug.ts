/**
 * `reprise debug <tape>`: replays a program under Node's inspector and pauses it after a record of the tape.
 * Exits as `replay` does; 0 if the user quits.
 */
import { resolve } from 'node:path'
import { RepriseError } from '../../errors/index.ts'
import type { TapeEvent } from '../../tape/index.ts'
import type { ReplayReport } from '../../testbench/index.ts'
import { type Command, type CommandInput, flagOption, integerOption } from '../command.ts'
import { EXIT } from '../output.ts'
import type { Replayed } from '../replay-program.ts'
import { trustOf, trustOptions } from '../trust-options.ts'

export const debug: Command = {
  name: 'debug',
  arguments: '<tape> [cmd...]',
  help: 'replay under a debugger and pause after a record',
  options: [
    {
      flags: '--at <seq>',
      help: 'pause at the first statement of your code after this record (default: the first)',
    },
    { flags: '--at-call <n>', help: 'pause after the n-th model call' },
    { flags: '--at-divergence', help: 'pause where the run leaves its tape' },
    ...trustOptions,
    { flags: '--vscode', help: 'add a configuration to .vscode/launch.json' },
  ],
  failure: EXIT.reprise,
  async run(input) {
    const { debugSession } = await import('../debug-session.ts')
    const { replayProgram } = await import('../replay-program.ts')
    const { exitCodeOf, runProgram } = await import('../run-program.ts')
    const { printVerdict } = await import('../print-verdict.ts')
    const [file = '', ...command] = input.arguments
    const tape = resolve(file)
    const atDivergence = flagOption(input, 'atDivergence')
    const { readTapeEvents } = await import('../../tape/index.ts')
    const trust = await trustOf(input)
    const stopAt = await wantedRecord(tape, input, atDivergence)
    const result = await debugSession({
      title: `reprise debug ${file}`,
      stopAt,
      lastRecord: () => lastRecordOf(readTapeEvents(tape)),
      divergedAt: atDivergence ? ({ report }: Replayed) => firstDivergence(report) : null,
      vscode: flagOption(input, 'vscode'),
      output: input.output,
      start(nodeArguments, seq) {
        const stopping = new AbortController()
        const result = replayProgram({
          tape,
          command,
          mode: 'semantic',
          speed: 0,
          trust,
          debugger: { stopAt: seq, atDivergence: atDivergence && seq === null },
          run: (program) =>
            runProgram({
              ...program,
              command: withNodeArguments(program.command, nodeArguments),
              stdin: 'ignore',
              signal: stopping.signal,
            }),
        })
        // The session awaits it, or has ended before it matters.
        result.catch(() => undefined)
        return { result, kill: () => stopping.abort() }
      },
    })
    if (result === null) return EXIT.fine
    printVerdict(input.output, result.report)
    input.output.note(`replay ${result.report.verdict}`)
    return result.report.verdict === 'faithful' ? exitCodeOf(result.end) : EXIT.finding
  },
}

function lastRecordOf(events: Iterable<TapeEvent>): number {
  let last = 0
  for (const event of events) if (event.type === 'record') last = event.record.seq
  return last
}

/** The first record at which a run differs, or that it did not use; null for a run that is as recorded. */
function firstDivergence({ verdict, divergences, unused }: ReplayReport): number | null {
  if (verdict !== 'diverged') return null
  const seqs = [divergences.find(({ seq }) => seq !== null)?.seq ?? Infinity, unused[0]?.seq ?? Infinity]
  const first = Math.min(...seqs)
  return Number.isFinite(first) ? first : null
}

async function wantedRecord(
  tape: string,
  input: CommandInput,
  atDivergence: boolean,
): Promise<number | null> {
  const at = integerOption(input, 'at')
  const call = integerOption(input, 'atCall')
  if ([at !== undefined, call !== undefined, atDivergence].filter(Boolean).length > 1)
    throw new RepriseError('usage', '--at, --at-call and --at-divergence exclude each other', {
      hint: 'give one of them',
    })
  const { readTapeEvents } = await import('../../tape/index.ts')
  if (atDivergence) return null
  if (call === undefined && at === undefined) return 0
  let calls = 0
  let last = 0
  for (const event of readTapeEvents(tape)) {
    if (event.type !== 'record') continue
    last = event.record.seq
    if (last === at) return last
    if (event.record.kind.kind === 'llm_call') calls += 1
    if (calls === call && call > 0) return last
  }
  throw new RepriseError(
    'debug-no-record',
    at === undefined
      ? `the tape has ${calls} model call(s), not ${call}`
      : `the tape has no record ${at}; its last is ${last}`,
    { hint: `reprise inspect ${tape}` },
  )
}

/** The program must be Node itself: a launcher would pass the arguments to a process of its own. */
function withNodeArguments(command: readonly string[], added: readonly string[]): readonly string[] {
  const [node = '', ...rest] = command
  if (!/(?:^|[/\\])node(?:\.exe)?$/.test(node))
    throw new RepriseError('usage', `${node} is not Node: debug needs the command that starts the program`, {
      hint: 'give it as: reprise debug <tape> -- node agent.mjs',
    })
  return [node, ...added, ...rest]
}
