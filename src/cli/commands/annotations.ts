/**
 * `reprise annotations check|export <sidecar>`: Harn's annotations of a tape. Checking is judging: exits 2 on
 * a problem.
 */
import { RepriseError } from '../../errors/index.ts'
import type { AnnotationProblem } from '../../fidelity/annotations/check.ts'
import {
  type Command,
  type CommandInput,
  flagOption,
  forceOption,
  jsonOption,
  listOption,
  textOption,
} from '../command.ts'
import { EXIT } from '../output.ts'
import { writeReport } from '../write-report.ts'

const check: Command = {
  name: 'annotations check',
  arguments: '<sidecar>',
  help: 'check annotations against their tape',
  options: [
    {
      flags: '--tape <tape>',
      help: 'the tape; by default the name of the sidecar without .annotations.jsonl',
    },
    { flags: '--report <file>', help: 'write the report to a file, as JSON' },
    jsonOption,
  ],
  async run(input) {
    const { checkAnnotations, loadAnnotations, tapeFile } = await import('../../fidelity/index.ts')
    const path = input.arguments[0] ?? ''
    const tape = await tapeOf(input, path)
    const report = checkAnnotations(loadAnnotations(path), tapeFile(tape))
    const file = textOption(input, 'report')
    if (file !== undefined) await writeReport(file, JSON.stringify(report, null, 2), [path, tape])
    if (flagOption(input, 'json')) input.output.json(report)
    else {
      for (const problem of report.problems.slice(0, MAX_SHOWN))
        input.output.line(`problem: ${sentence(problem)} [${problem.code}]`)
      if (report.problems.length > MAX_SHOWN)
        input.output.line(`and ${report.problems.length - MAX_SHOWN} more`)
      const kinds = Object.entries(report.kind_counts).map(([kind, count]) => `${count} ${kind}`)
      input.output.line(
        `${path}: ${report.annotations_checked} annotations checked against ${tape}${kinds.length === 0 ? '' : ` (${kinds.join(', ')})`}`,
      )
    }
    return report.problems.length === 0 ? EXIT.fine : EXIT.finding
  },
}

const MAX_SHOWN = 100

async function tapeOf(input: CommandInput, sidecar: string): Promise<string> {
  const { ANNOTATIONS_SUFFIX } = await import('../../fidelity/annotations/annotation.ts')
  const named = textOption(input, 'tape')
  if (named !== undefined) return named
  if (sidecar.endsWith(ANNOTATIONS_SUFFIX)) return sidecar.slice(0, -ANNOTATIONS_SUFFIX.length)
  throw new RepriseError('usage', `${sidecar} is not named <tape>${ANNOTATIONS_SUFFIX}`, {
    hint: 'name the tape with --tape',
  })
}

function sentence(problem: AnnotationProblem): string {
  switch (problem.code) {
    case 'schema':
    case 'invalid_span':
      return `${problem.annotation_id}: ${problem.message}`
    case 'unknown_event_id':
      return `${problem.annotation_id}: the tape has no record ${problem.event_id}`
    case 'friction_kind_unknown':
      return `${problem.annotation_id}: there is no friction kind ${problem.friction_kind}`
    case 'tape_digest_mismatch':
      return `the annotations were written for another tape: expected ${problem.expected}, this one is ${problem.actual}`
    case 'hypothesis_status_missing':
      return `${problem.annotation_id}: a hypothesis needs a hypothesis_status`
    case 'hypothesis_status_unexpected':
      return `${problem.annotation_id}: only a hypothesis has a hypothesis_status`
    case 'friction_kind_missing':
      return `${problem.annotation_id}: a friction needs a friction_kind`
    case 'friction_kind_unexpected':
      return `${problem.annotation_id}: only a friction has a friction_kind`
    case 'duplicate_id':
      return `${problem.annotation_id}: this id occurs twice`
    case 'unknown_kind':
      return `${problem.annotation_id}: of an unknown kind`
  }
}

const exportRows: Command = {
  name: 'annotations export',
  arguments: '<sidecar>',
  help: 'write annotations as rows of JSON',
  options: [
    { flags: '--kind <kind>', help: 'only this kind; may be given more than once', repeat: true },
    { flags: '--format <format>', help: 'jsonl (default) or friction' },
    { flags: '--out <file>', help: 'write to a file instead of stdout' },
    forceOption,
    { flags: '--json', help: 'one JSON document, a list of the rows' },
  ],
  async run(input) {
    const { annotationKinds, annotationRow, frictionEvent, loadAnnotations } = await import(
      '../../fidelity/index.ts'
    )
    const { dateFrom, now } = await import('../../real/clock.ts')
    const format = textOption(input, 'format') ?? 'jsonl'
    if (format !== 'jsonl' && format !== 'friction')
      throw usage(`unknown format ${JSON.stringify(format)}`, 'jsonl or friction')
    const wanted = listOption(input, 'kind')
    for (const kind of wanted)
      if (!annotationKinds.some((known) => known === kind))
        throw usage(`unknown annotation kind ${JSON.stringify(kind)}`, `one of ${annotationKinds.join(', ')}`)
    const path = input.arguments[0] ?? ''
    const { annotations, header, badLines } = loadAnnotations(path)
    const [bad] = badLines
    if (bad !== undefined)
      throw new RepriseError('annotations-invalid', `${path}: line ${bad.line}: ${bad.message}`, {
        hint: 'reprise annotations check lists every such line',
      })
    const time = dateFrom(now()).toISOString()
    const rows = annotations
      .filter(({ kind }) => wanted.length === 0 || wanted.includes(kind))
      .map((annotation) =>
        format === 'jsonl' ? annotationRow(annotation) : frictionEvent(annotation, header, time),
      )
      .filter((row) => row !== null)
    await writeRows(input, path, rows)
    return EXIT.fine
  },
}

async function writeRows(input: CommandInput, path: string, rows: readonly string[]): Promise<void> {
  const text = flagOption(input, 'json') ? `[${rows.join(',\n')}]\n` : rows.map((row) => `${row}\n`).join('')
  const out = textOption(input, 'out')
  if (out === undefined) {
    input.output.raw(text)
    return
  }
  const { fs } = await import('../../real/fs.ts')
  if (!flagOption(input, 'force') && fs.lstatSync(out, { throwIfNoEntry: false }) !== undefined)
    throw new RepriseError('out-exists', `${out} is there already`, {
      details: { path: out },
      hint: 'choose another name, or use --force to replace it',
    })
  await writeReport(out, text, [path])
}

function usage(message: string, hint: string): RepriseError {
  return new RepriseError('usage', message, { hint })
}

export const annotationCommands: readonly Command[] = [check, exportRows]
