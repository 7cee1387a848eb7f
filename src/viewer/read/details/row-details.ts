/** One row in full: the view that fits its kind, its line, and the other rows of its effect. */
import type { RowEntry } from '../../layout/rows.ts'
import type { DetailView, RowDetails } from '../../protocol/details.ts'
import { fieldContents, lineContent } from '../contents.ts'
import { lineText, listRows, recordOf, rowOf } from '../lines.ts'
import type { TapeIndexReader } from '../tape-index.ts'
import { numberOf, type WireObject } from '../wire.ts'
import { effectRows, startOf } from './effect-rows.ts'
import { llmView } from './llm-view.ts'
import { fileView, httpView, mcpView, processView, streamView, terminalView } from './record-views.ts'

const MAX_RELATED = 200
/** A longer line is not parsed; its bytes can be fetched. */
const MAX_PARSED_BYTES = 32 * 1024 * 1024

export async function rowDetails(
  index: TapeIndexReader,
  row: number,
  entry: RowEntry,
  cassetteItem: (name: string) => string | null,
): Promise<RowDetails> {
  const text = entry.lengthBytes > MAX_PARSED_BYTES ? null : await lineText(index, entry)
  const found = text === null ? null : recordOf(text)
  const shownRow = rowOf(index, row, entry, text)
  const start = startOf(row, entry)
  const { rows, more } = start === null ? { rows: [], more: 0 } : await effectRows(index, start, MAX_RELATED)
  return {
    row: shownRow,
    wallMs: found === null ? null : numberOf(found.record.virtual_time_ms),
    view:
      found === null
        ? damageView(index, row, entry)
        : await viewOf(index, row, entry, found.kind, cassetteItem),
    raw: lineContent(row, entry.lengthBytes, text),
    related: await listRows(
      index,
      rows.map((each) => each.row),
    ),
    relatedMore: more,
  }
}

function damageView(index: TapeIndexReader, row: number, entry: RowEntry): DetailView {
  const finding = index.metadata.overview.findings.findings.find((each) => each.row === row)
  return {
    type: 'damage',
    code: finding?.code ?? 'damage',
    reason: finding?.message ?? 'the line could not be read',
    line: finding?.line ?? 0,
    offsetBytes: entry.offset,
    sizeBytes: entry.lengthBytes,
  }
}

async function viewOf(
  index: TapeIndexReader,
  row: number,
  entry: RowEntry,
  kind: WireObject,
  cassetteItem: (name: string) => string | null,
): Promise<DetailView> {
  switch (kind.kind) {
    case 'llm_call':
      return await llmView(index, row, entry, kind)
    case 'http_exchange':
      return await httpView(index, row, entry, kind)
    case 'process_spawn':
    case 'process_exit':
      return await processView(index, row, entry, kind)
    case 'file_read':
    case 'file_write':
    case 'file_delete':
    case 'file_state':
    case 'fs_call':
      return await fileView(index, entry, kind)
    case 'mcp_json_rpc':
    case 'mcp_message':
      return await mcpView(index, kind)
    case 'terminal_session':
    case 'terminal_output':
      return await terminalView(index, row, entry, kind, cassetteItem)
    case 'stream_chunk':
    case 'stream_end':
      return await streamView(index, kind)
    case 'effect_start':
      return kind.boundary === 'process'
        ? await processView(index, row, entry, kind)
        : { type: 'fields', fields: fieldContents(kind) }
    default:
      return { type: 'fields', fields: fieldContents(kind) }
  }
}
