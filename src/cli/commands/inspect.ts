/**
 * `reprise inspect <tape>`: what is on it. A showing command: prints what is whole, names damage on stderr,
 * exits 0.
 */
import type { RecordFilter, TapeSummary } from '../../tape/inspect.ts'
import type { ChildTape } from '../../tape/run-summary.ts'
import { annotationLine, annotationsOf } from '../annotations-of.ts'
import {
  type Command,
  type CommandInput,
  flagOption,
  integerOption,
  jsonOption,
  textOption,
} from '../command.ts'
import { EXIT } from '../output.ts'
import { tapeSummaryText } from '../tape-summary-text.ts'

export const inspect: Command = {
  name: 'inspect',
  arguments: '<tape>',
  help: 'show what is on a tape',
  options: [
    { flags: '--llm <n>', help: 'what the model was asked and answered in its n-th call' },
    { flags: '--files', help: 'which files the run wrote or deleted' },
    { flags: '--slow', help: 'how long the longest calls took' },
    { flags: '--kind <kind>', help: 'the records of this kind, as they are on the tape, after the counts' },
    { flags: '--at <seq>', help: 'the record with this number, as it is on the tape, after the counts' },
    { flags: '--raw', help: 'header and counts of every kind as plain text' },
    jsonOption,
  ],
  tapes: 'first',
  async run(input) {
    const { inspectTape, selectRecords } = await import('../../tape/inspect.ts')
    const path = input.arguments[0] ?? ''
    const filter = filterOf(input)
    const summary = inspectTape(path)
    const isPlain = flagOption(input, 'raw') || filter !== null
    if (flagOption(input, 'json') || isPlain) {
      if (filter !== null) (await import('../inspect/no-match.ts')).refuseNoMatch(path, filter, summary)
      const selected = filter === null ? null : selectRecords(path, filter)
      await printRaw(input, path, summary, selected)
    } else {
      await show(input, path)
      if (!isPartial(input)) for (const line of childLines(await childrenOf(path))) input.output.line(line)
    }
    for (const { line, reason } of summary.damage)
      input.output.note(`${path}: line ${line} is damaged and was stepped over: ${reason}`)
    if (summary.torn !== null)
      input.output.note(
        `${path}: the last line (${summary.torn.line}) was cut off after ${summary.torn.bytes} bytes`,
      )
    return EXIT.fine
  },
}

/** For people: overview and timeline, or the one part that a flag names. */
async function show(input: CommandInput, path: string): Promise<void> {
  const turn = integerOption(input, 'llm')
  const [{ openScreen }, { showFiles, showSlow, showTimeline, showTurn }, { borrowTapeItem }] =
    await Promise.all([
      import('../inspect/paint.ts'),
      import('../inspect/show.ts'),
      import('../../viewer/items/tape-item.ts'),
    ])
  const annotations = await annotationsOf(path, input.output)
  const tape = await borrowTapeItem(path)
  const { startMs } = tape.metadata()
  const screen = await openScreen()
  try {
    if (turn !== undefined) await showTurn(screen, tape.view(), turn)
    else if (flagOption(input, 'files')) await showFiles(screen, tape.view())
    else if (flagOption(input, 'slow')) await showSlow(screen, tape.view(), startMs)
    else await showTimeline(screen, tape.view(), path, startMs)
    for (const annotation of annotations ?? []) await screen.line(annotationLine(annotation))
  } finally {
    await screen.close()
    tape.close()
  }
}

async function printRaw(
  input: CommandInput,
  path: string,
  summary: TapeSummary,
  selected: Iterable<{ readonly text: string }> | null,
): Promise<void> {
  const annotations = await annotationsOf(path, input.output)
  const terminals = summary.kinds.terminal_session === undefined ? [] : await terminalsOf(path)
  const tapes = await childrenOf(path)
  const more = {
    ...(tapes.length === 0 ? {} : { child_tapes: tapes }),
    ...(annotations === null ? {} : { annotations }),
    ...(terminals.length === 0 ? {} : { terminals }),
  }
  if (flagOption(input, 'json')) {
    printJson(input, { ...summary, ...more }, selected)
    return
  }
  for (const line of tapeSummaryText(path, summary)) input.output.line(line)
  for (const { text } of selected ?? []) input.output.line(text)
  for (const terminal of terminals) input.output.line(terminalLine(terminal))
  for (const line of childLines(tapes)) input.output.line(line)
  for (const annotation of annotations ?? []) input.output.line(annotationLine(annotation))
}

type Terminal = {
  readonly seq: number
  readonly program: string
  readonly exit_code: number | null
  readonly cassette: string | null
}

async function terminalsOf(path: string): Promise<Terminal[]> {
  const { cassettesOf } = await import('../../testbench/terminal/tape-cassettes.ts')
  return [...cassettesOf(path)].map(({ seq, kind, path: cassette }) => ({
    seq,
    program: [kind.program, ...kind.args].join(' '),
    exit_code: kind.exitCode,
    cassette,
  }))
}

async function childrenOf(path: string): Promise<readonly ChildTape[]> {
  return (await import('../../tape/run-summary.ts')).childSummaries(path)
}

/** Whether a flag selects one part of the tape. */
function isPartial(input: CommandInput): boolean {
  return flagOption(input, 'files') || flagOption(input, 'slow') || integerOption(input, 'llm') !== undefined
}

function childLines(children: readonly ChildTape[]): string[] {
  return children.map(
    ({ name, program, records, model_calls: calls, sealed }) =>
      `  child ${name}: ${program}: ${records} records, ${calls} model calls, ${sealed ? 'sealed' : 'not sealed'}`,
  )
}

function terminalLine({ seq, program, exit_code, cassette }: Terminal): string {
  return `  terminal at ${seq}: ${program}, ${exit_code === null ? 'not ended' : `exit ${exit_code}`}, ${cassette ?? 'no cassette'}`
}

function filterOf(input: CommandInput): RecordFilter | null {
  const kind = textOption(input, 'kind')
  const seq = integerOption(input, 'at')
  if (kind === undefined && seq === undefined) return null
  return { ...(kind === undefined ? {} : { kind }), ...(seq === undefined ? {} : { seq }) }
}

/**
 * The lines of the selected records are printed as they are on the tape: no number loses its spelling, and no
 * list is held in memory.
 */
function printJson(
  input: CommandInput,
  summary: TapeSummary & { readonly annotations?: unknown; readonly terminals?: unknown },
  selected: Iterable<{ readonly text: string }> | null,
): void {
  const { damage: _damage, mcp, children: _children, unrecorded, ...rest } = summary
  const document = {
    ...rest,
    ...(mcp.length === 0 ? {} : { mcp }),
    ...(unrecorded.length === 0 ? {} : { unrecorded_children: unrecorded }),
  }
  if (selected === null) {
    input.output.json(document)
    return
  }
  const head = JSON.stringify(document, null, 2).replace(/\n\}$/, '')
  input.output.raw(`${head},\n  "selected": [`)
  let separator = '\n    '
  for (const { text } of selected) {
    input.output.raw(separator + text)
    separator = ',\n    '
  }
  input.output.raw('\n  ]\n}\n')
}
