/** The overview of a tape in a few lines: the answer to "what did this run do?". */
import type { TapeOverview } from '../../viewer/protocol.ts'
import { countText, durationText, sizeText } from './amounts.ts'
import type { Piece } from './paint.ts'

const MAX_NAMES = 8

/** `[name, pieces…]` per line. */
export function overviewLines(overview: TapeOverview): (readonly [name: string, ...Piece[]])[] {
  const { llm, tools, files, processes, mcpServers, hosts, terminals } = overview
  const lines: (readonly [string, ...Piece[]])[] = [
    ['command', plain(overview.command.join(' ') || 'unknown')],
    ['written by', plain(`${overview.origin.writer}${overview.origin.foreign ? ' (another system)' : ''}`)],
    ['ended', ...verdictPieces(overview)],
    ['took', plain(durationText(overview.durationMs))],
  ]
  if (llm.calls > 0) lines.push(['models', ...modelPieces(overview)])
  if (tools.items.length > 0)
    lines.push(['tools', plain(names(tools, ({ name, calls }) => `${name} ${calls}`))])
  if (mcpServers.items.length > 0)
    lines.push([
      'mcp',
      plain(names(mcpServers, ({ server, calls }) => `${server} ${countText(calls, 'call')}`)),
    ])
  if (hosts.items.length > 0)
    lines.push(['network', plain(names(hosts, ({ host, exchanges }) => `${host} ${exchanges}`))])
  if (files.items.length > 0)
    lines.push(['files', plain(names(files, ({ path, deleted }) => (deleted ? `${path} (deleted)` : path)))])
  if (processes.items.length > 0)
    lines.push(['processes', plain(names(processes, ({ command }) => command.slice(0, 60)))])
  if (terminals.items.length > 0)
    lines.push(['terminals', plain(names(terminals, ({ command }) => command.slice(0, 60)))])
  if (overview.secretsMasked > 0) lines.push(['secrets', plain(`${overview.secretsMasked} masked`)])
  lines.push(['size', plain(sizeText(overview.sizeBytes))])
  return lines
}

function plain(text: string): Piece {
  return ['plain', text]
}

function verdictPieces({ exit, verdict, gaps, findings }: TapeOverview): Piece[] {
  const end =
    exit === null
      ? 'no end was recorded'
      : exit.signal === null
        ? `exit ${exit.code}`
        : `signal ${exit.signal}`
  const faults = findings.findings.filter(({ severity }) => severity === 'fault').length + findings.more
  const found: Piece[] = faults === 0 ? [] : [['error', `, ${countText(faults, 'finding')}`]]
  const missing: Piece[] = gaps === 0 ? [] : [['error', `, ${countText(gaps, 'gap')}`]]
  return [
    [verdict === 'sealed' || verdict === 'foreign' ? 'plain' : 'error', `${end}, ${verdict}`],
    ...missing,
    ...found,
  ]
}

function modelPieces({ llm }: TapeOverview): Piece[] {
  const cost = llm.costUsd === null ? '' : `, $${llm.costUsd.toFixed(4)}`
  const failed: Piece[] = llm.errors === 0 ? [] : [['error', `, ${llm.errors} failed`]]
  const used = names(llm.models, ({ model, calls }) => `${model} ${calls}`)
  return [
    plain(
      `${countText(llm.calls, 'call')}, ${llm.inputTokens} tokens in, ${llm.outputTokens} out${cost} (${used})`,
    ),
    ...failed,
  ]
}

function names<T>(
  { items, more }: { readonly items: readonly T[]; readonly more: number },
  name: (item: T) => string,
): string {
  const rest = items.length - MAX_NAMES + more
  return `${items.slice(0, MAX_NAMES).map(name).join(', ')}${rest > 0 && items.length > MAX_NAMES ? ` and ${rest} more` : ''}`
}
