/**
 * `reprise replay <tape> [-- <cmd…>]`: runs the recorded program again, from the tape alone. Exits 2 if the
 * replay is not faithful. A tape that cannot be read is 125 like all that Reprise itself cannot do: 1 could
 * be the program's own.
 */
import { resolve } from 'node:path'
import { RepriseError } from '../../errors/index.ts'
import type { FidelityMode } from '../../fidelity/index.ts'
import type { ReplayReport } from '../../testbench/index.ts'
import { type Command, type CommandInput, flagOption, listOption, textOption } from '../command.ts'
import { EXIT } from '../output.ts'
import { printTree, printVerdict } from '../print-verdict.ts'
import type { TreeReport } from '../replay-tree.ts'
import { trustOf, trustOptions } from '../trust-options.ts'
import { writeReport } from '../write-report.ts'

export const replay: Command = {
  name: 'replay',
  arguments: '<tape> [cmd...]',
  help: 'run a recorded program again from its tape alone',
  options: [
    { flags: '--mode <mode>', help: 'byte-identical, semantic (default), outcome or phase-aware' },
    { flags: '--speed <factor>', help: '0 does not wait (default), 1 as long as recorded, 2 half as long' },
    { flags: '--strict', help: 'count notes (a loader with a thread of its own, native code) as gaps' },
    {
      flags: '--tree',
      help: 'replay the tapes of all children too, each alone; the verdict is the worst of them',
    },
    ...trustOptions,
    {
      flags: '--allow-addon <name>',
      help: 'load this native addon, though the recording did not vouch for it; the verdict is unverified; may be given more than once',
      repeat: true,
    },
    {
      flags: '--no-wall',
      help: "do not use Node's permission model as a second wall (Node 22.13 and newer)",
    },
    { flags: '--emit-tape <file>', help: 'write the tape of this run' },
    {
      flags: '--emit-diff <file>',
      help: 'write what the program changes in its files as a patch that git apply takes',
    },
    { flags: '--report <file>', help: 'write the report as JSON' },
    {
      flags: '--view',
      help: 'after a divergence, open both tapes side by side in the browser',
      wholeOnly: true,
    },
    { flags: '--no-open', help: 'with --view: print the address, open no browser' },
    { flags: '--json', help: 'print the report as JSON; what the program writes to stdout goes to stderr' },
  ],
  tapes: 'first',
  failure: EXIT.reprise,
  async run(input) {
    const { fs } = await import('../../real/fs.ts')
    const { realTmpdir } = await import('../../real/process.ts')
    const { replayProgram } = await import('../replay-program.ts')
    const { exitCodeOf } = await import('../run-program.ts')
    const { parseMode } = await import('../../fidelity/modes.ts')
    const [tape = '', ...command] = input.arguments
    const [mode, speed, json] = [
      parseMode(textOption(input, 'mode') ?? 'semantic'),
      speedOf(input),
      flagOption(input, 'json'),
    ]
    if (flagOption(input, 'tree') && command.length === 0) {
      const { isPartWithChildren } = await import('../replay-tree.ts')
      if (isPartWithChildren(resolve(tape))) return replayChildrenOfPart(input, resolve(tape), mode)
    }
    const view = flagOption(input, 'view')
    const emitted = textOption(input, 'emitTape')
    const kept = view && emitted === undefined ? fs.mkdtempSync(`${realTmpdir()}/reprise-view-`) : null
    const emit = kept === null ? emitted : `${kept}/replay.tape`
    const patch = textOption(input, 'emitDiff')
    try {
      const {
        end,
        report: own,
        diff,
      } = await replayProgram({
        tape: resolve(tape),
        command,
        trust: await trustOf(input),
        mode,
        speed,
        strict: flagOption(input, 'strict'),
        debug: flagOption(input, 'debug'),
        ...(emit === undefined ? {} : { emit: resolve(emit) }),
        diff: patch !== undefined,
        addons: listOption(input, 'allowAddon'),
        wall: input.options.wall !== false,
        stdout: json ? 'stderr' : 'inherit',
      })
      if (patch !== undefined && diff !== null) {
        const { writePatch } = await import('../emit-diff.ts')
        await writePatch(resolve(patch), diff.patch)
        for (const call of diff.failed.slice(0, 5)) input.output.note(`not in the diff: ${call}`)
      }
      const { unreplayedNote, withUnreplayed } = await import(
        '../../testbench/verdict/unreplayed-children.ts'
      )
      const tree = flagOption(input, 'tree') ? await replayTree(input, resolve(tape), mode, own) : null
      const report = tree ?? withUnreplayed(tape, own)
      await giveReport(input, report)
      printVerdict(input.output, report)
      const note = tree === null ? unreplayedNote(report) : null
      if (note !== null) input.output.remark(note)
      else if (report.verdict === 'faithful' && !json)
        input.output.remark(`faithful: ${tape} was replayed without a difference`)
      if (tree !== null) {
        printTree(input.output, tree)
        if (tree.tree_verdict !== 'faithful') return EXIT.finding
      }
      if (view && report.verdict !== 'faithful' && emit !== undefined)
        await (await import('../show-both.ts')).showBoth(input, resolve(tape), resolve(emit), mode)
      return report.verdict === 'faithful' ? exitCodeOf(end) : EXIT.finding
    } finally {
      if (kept !== null) fs.rmSync(kept, { recursive: true, force: true })
    }
  },
}

/** Of a tape of the library: its own code replays the tape itself. */
async function replayChildrenOfPart(input: CommandInput, tape: string, mode: FidelityMode): Promise<number> {
  const tree = await replayTree(input, tape, mode, null)
  await giveReport(input, tree)
  printTree(input.output, tree)
  const { length } = tree.children
  if (tree.tree_verdict === 'faithful')
    input.output.remark(`the tapes of ${length} children are faithful; ${tree.reasons[0]}`)
  return tree.tree_verdict === 'faithful' ? EXIT.fine : EXIT.finding
}

/** In the file of `--report`, and with `--json` on stdout. */
async function giveReport(input: CommandInput, report: ReplayReport): Promise<void> {
  const wanted = textOption(input, 'report')
  if (wanted !== undefined)
    await writeReport(wanted, `${JSON.stringify(report, null, 2)}\n`, input.arguments.slice(0, 1))
  if (flagOption(input, 'json')) input.output.json(report)
}

async function replayTree(
  input: CommandInput,
  tape: string,
  mode: FidelityMode,
  report: ReplayReport | null,
): Promise<TreeReport> {
  const { replayChildren } = await import('../replay-tree.ts')
  return replayChildren(tape, report, {
    trust: await trustOf(input),
    mode,
    speed: speedOf(input),
    strict: flagOption(input, 'strict'),
    addons: listOption(input, 'allowAddon'),
  })
}

function speedOf(input: CommandInput): number {
  const text = textOption(input, 'speed') ?? '0'
  const speed = Number(text)
  if (Number.isFinite(speed) && speed >= 0) return speed
  throw new RepriseError('usage', `--speed takes a number from 0 up, not ${JSON.stringify(text)}`, {
    hint: 'see reprise replay --help',
  })
}
