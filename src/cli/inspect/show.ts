/**
 * What `reprise inspect` prints for people: the overview with a timeline, one call of a model, the files, the
 * slowest calls.
 */
import { RepriseError } from '../../errors/index.ts'
import type { Lane, LlmView, Message, MessagePart, Row, TapeOverview } from '../../viewer/protocol.ts'
import { WINDOW_ROWS } from '../../viewer/protocol.ts'
import type { TapeView } from '../../viewer/source/tape-view.ts'
import { countText, durationText, momentText, sizeText } from './amounts.ts'
import { overviewLines } from './overview-lines.ts'
import type { Screen, Style } from './paint.ts'

const MAX_SLOW = 20

/** The overview, then one line per event of interest: time, lane, what, duration. */
export async function showTimeline(
  screen: Screen,
  tape: TapeView,
  path: string,
  startMs: number,
): Promise<void> {
  const overview = await tape.overview()
  const unsealed = overview.findings.findings.some(
    ({ code }) => code === 'unsealed' || code === 'unsealed-foreign',
  )
  await screen.line(['strong', `${path}: ${overview.records} records, ${unsealed ? 'not sealed' : 'sealed'}`])
  for (const [name, ...pieces] of overviewLines(overview))
    await screen.line('  ', ['dim', name.padEnd(12)], ' ', ...pieces)
  await screen.line('')
  for (let from = 0; ; from += WINDOW_ROWS) {
    const { rows } = await tape.rows({ filter: { notable: true }, from, count: WINDOW_ROWS })
    for (const row of rows) await eventLine(screen, row, startMs)
    if (rows.length < WINDOW_ROWS) return
  }
}

async function eventLine(
  screen: Screen,
  { row, seq, lane, title, atMs, durationMs, tone }: Row,
  startMs: number,
  took = durationMs,
): Promise<void> {
  const number = seq === null ? `row ${row}` : `#${seq}`
  await screen.line(
    ['dim', momentText(atMs - startMs - (took ?? 0))],
    '  ',
    [laneStyle(lane), lane.padEnd(9)],
    ' ',
    ['dim', number.padEnd(8)],
    ' ',
    [tone === 'plain' ? 'plain' : tone, title],
    ['dim', took === null ? '' : `  ${durationText(took)}`],
  )
}

function laneStyle(lane: Lane): Style {
  switch (lane) {
    case 'findings':
      return 'error'
    case 'clock':
    case 'inputs':
      return 'other'
    default:
      return lane
  }
}

/** "What did the model answer in turn 3?" */
export async function showTurn(screen: Screen, tape: TapeView, turn: number): Promise<void> {
  const { rows, total } = await tape.rows({ filter: { kinds: ['llm_call'] }, from: turn - 1, count: 1 })
  const [row] = turn < 1 ? [] : rows
  if (row === undefined) {
    throw new RepriseError('usage', `the tape has ${countText(total, 'call')} of a model, no call ${turn}`, {
      hint: `give a number from 1 to ${total}`,
    })
  }
  const { view } = await tape.details(row.row)
  if (view.type !== 'llm') throw new Error('a call of a model was shown as something else')
  await screen.line(
    ['strong', `call ${turn} of ${total}: ${view.model ?? 'unknown model'}`],
    [
      'dim',
      `  record ${row.seq ?? '?'}${row.durationMs === null ? '' : `, ${durationText(row.durationMs)}`}`,
    ],
  )
  await showRequest(screen, view)
  await screen.line('')
  await screen.line(['llm', 'answer'])
  if (view.error !== null) await screen.line('  ', ['error', view.error])
  await showParts(screen, view.answer)
  if (view.usage !== null) {
    const { inputTokens, outputTokens, cacheReadTokens, costUsd } = view.usage
    const cached = cacheReadTokens > 0 ? `, ${cacheReadTokens} from the cache` : ''
    const cost = costUsd === null ? '' : `, $${costUsd}`
    await screen.line('  ', [
      'dim',
      `${inputTokens} tokens in${cached}, ${outputTokens} out${cost}${view.stopReason === null ? '' : `, ${view.stopReason}`}`,
    ])
  }
}

/** Only what is new since the call before; the first call whole. */
async function showRequest(screen: Screen, { request, messagesKept }: LlmView): Promise<void> {
  if (request === null) {
    await screen.line('  ', ['dim', 'the request is not on the tape'])
    return
  }
  if (messagesKept > 0)
    await screen.line('  ', ['dim', `${countText(messagesKept, 'message')} as in the call before`])
  else if (request.system.length > 0) await showMessage(screen, { role: 'system', parts: request.system })
  for (const message of request.messages.slice(messagesKept)) await showMessage(screen, message)
}

async function showMessage(screen: Screen, { role, parts }: Message): Promise<void> {
  await screen.line('')
  await screen.line(['mcp', role])
  await showParts(screen, parts)
}

async function showParts(screen: Screen, parts: readonly MessagePart[]): Promise<void> {
  for (const part of parts) {
    switch (part.type) {
      case 'text':
        await screen.block(part.text)
        break
      case 'thinking':
        await screen.block(part.text, 'dim')
        break
      case 'tool_call':
        await screen.line('  ', ['warning', `calls ${part.name}`], ' ', part.arguments)
        break
      case 'tool_result':
        await screen.line('  ', [
          part.error ? 'error' : 'warning',
          `result${part.name === null ? '' : ` of ${part.name}`}`,
        ])
        await screen.block(part.text)
        break
      case 'other':
        await screen.line('  ', ['dim', `${part.what}: ${part.json.slice(0, 200)}`])
        break
    }
  }
}

/** "Which files did it write?" */
export async function showFiles(screen: Screen, tape: TapeView): Promise<void> {
  const { files }: TapeOverview = await tape.overview()
  if (files.items.length === 0) await screen.line('no file was written or deleted')
  for (const { path, writes, deleted, sizeBytes, row } of files.items) {
    const what = deleted ? 'deleted' : countText(writes, 'write')
    const size = sizeBytes === null ? '' : `, ${sizeText(sizeBytes)}`
    await screen.line('  ', ['files', path], ['dim', `  ${what}${size}, last in row ${row}`])
  }
  if (files.more > 0) await screen.line(`and ${files.more} more`)
}

/** "How long did each call take?" */
export async function showSlow(screen: Screen, tape: TapeView, startMs: number): Promise<void> {
  const { rows } = await tape.overview()
  const { spans } = await tape.spans({ axis: 'record', from: 0, to: rows, limit: 2000 })
  const longest = spans
    .filter(
      ({ lane, kind, fromMs, toMs }) =>
        toMs > fromMs && lane !== 'clock' && kind !== 'http_exchange' && kind !== 'process_exit',
    )
    .sort((a, b) => b.toMs - b.fromMs - (a.toMs - a.fromMs))
  const seen = new Set<number>()
  let shown = 0
  for (const span of longest) {
    if (shown === MAX_SLOW) break
    const [row] = (await tape.rows({ filter: {}, from: span.row, count: 1 })).rows
    if (row === undefined) continue
    const named = await namedRow(tape, row)
    if (seen.has(named.row) || (row.effectRow !== null && seen.has(row.effectRow))) continue
    for (const number of [named.row, row.effectRow ?? -1]) seen.add(number)
    await eventLine(screen, { ...named, atMs: row.atMs }, startMs, span.toMs - span.fromMs)
    shown += 1
  }
  if (shown === 0) await screen.line('no call with a duration is on the tape')
}

/** The end of an exchange has its duration; the exchange, or the call that was made of it, has its name. */
async function namedRow(tape: TapeView, row: Row): Promise<Row> {
  if (row.effectRow === null || row.kind !== 'stream_end') return row
  const { rows } = await tape.rows({
    filter: { effectRow: row.effectRow, fromRow: row.effectRow, toRow: row.row + 64 },
    from: 0,
    count: WINDOW_ROWS,
  })
  return (
    rows.find(({ kind }) => kind === 'llm_call') ?? rows.find(({ kind }) => kind === 'http_exchange') ?? row
  )
}
