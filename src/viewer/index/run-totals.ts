/**
 * Collects what a run did, record by record: calls of models with tokens, tools, files, processes, hosts.
 * Lists are bounded; what is not listed is counted.
 */
import { fieldsOf, jsonOf, numberOf, objectsOf, textOf } from '../../base/index.ts'
import type { Payload } from '../../tape/fields.ts'
import type { Kind, RecordKind } from '../../tape/kinds.ts'
import { mcpCallLine } from '../../tape/mcp-calls.ts'
import type {
  FileChange,
  Listed,
  LlmTotals,
  LlmTurn,
  ProcessRun,
  TapeOverview,
  TerminalRun,
} from '../protocol/overview.ts'

const MAX_LISTED = 500
const MAX_NAMES = 10_000

type RunTotals = Pick<
  TapeOverview,
  | 'llm'
  | 'tools'
  | 'mcpServers'
  | 'hosts'
  | 'files'
  | 'processes'
  | 'terminals'
  | 'gaps'
  | 'notes'
  | 'secretsMasked'
>

/** `readPayload` gives the text of a payload, or null if it is too large or missing. */
export type ReadPayload = (payload: Payload) => string | null

export type TotalsCollector = {
  add(row: number, atMs: number, durationMs: number, kind: RecordKind, masked: number): void
  totals(): RunTotals
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] }

export function collectTotals(
  readPayload: ReadPayload,
  cassetteItem: (name: string) => string | null,
): TotalsCollector {
  const llm = collectLlm(readPayload)
  const tools = new Counted<{ name: string; by: 'llm' | 'mcp'; calls: number; errors: number }>()
  const servers = new Counted<{ server: string; calls: number; errors: number }>()
  const hosts = new Counted<{ host: string; exchanges: number; errors: number }>()
  const files = new Counted<Mutable<FileChange>>()
  const processes: ProcessRun[] = []
  const terminals: TerminalRun[] = []
  const more = { processes: 0, terminals: 0 }
  let [gaps, notes, masked] = [0, 0, 0]

  const addTool = (name: string, by: 'llm' | 'mcp', failed: boolean): void => {
    const tool = tools.get(`${by} ${name}`, () => ({ name, by, calls: 0, errors: 0 }))
    if (tool === null) return
    tool.calls += 1
    if (failed) tool.errors += 1
  }
  const changed = (
    path: string,
    row: number,
    change: { readonly sizeBytes: number | null; readonly deleted: boolean },
  ): void => {
    const file = files.get(path, () => ({ path, writes: 0, deleted: false, row, sizeBytes: null }))
    if (file === null) return
    if (!change.deleted) file.writes += 1
    Object.assign(file, change, { row })
  }

  return {
    add(row, atMs, durationMs, kind, secrets) {
      masked += secrets
      const duration = Number.isNaN(durationMs) ? null : durationMs
      switch (kind.kind) {
        case 'llm_call':
          for (const name of llm.add(row, atMs, duration, kind)) addTool(name, 'llm', false)
          return
        case 'mcp_json_rpc': {
          const { server, method, name, outcome } = mcpCallLine(0, kind)
          const failed = outcome === 'error' || outcome === 'tool error'
          const entry = servers.get(server, () => ({ server, calls: 0, errors: 0 }))
          if (entry !== null) {
            entry.calls += 1
            if (failed) entry.errors += 1
          }
          if (method === 'tools/call' && name !== null) addTool(name, 'mcp', failed)
          return
        }
        case 'http_exchange': {
          const host = hosts.get(hostOf(kind.url), () => ({
            host: hostOf(kind.url),
            exchanges: 0,
            errors: 0,
          }))
          if (host === null) return
          host.exchanges += 1
          if (kind.error !== undefined || (kind.status ?? 0) >= 400) host.errors += 1
          return
        }
        case 'file_write':
          changed(kind.path, row, { sizeBytes: kind.lenBytes, deleted: false })
          return
        case 'file_delete':
          changed(kind.path, row, { sizeBytes: null, deleted: true })
          return
        case 'process_spawn':
          if (processes.length === MAX_LISTED) more.processes += 1
          else processes.push(processRun(row, atMs, kind))
          return
        case 'terminal_session':
          if (terminals.length === MAX_LISTED) more.terminals += 1
          else {
            const command = [kind.program, ...kind.args].join(' ').slice(0, 300)
            const item = kind.cassette === '' ? null : cassetteItem(kind.cassette)
            terminals.push({ row, command, exitCode: kind.exitCode, atMs, item })
          }
          return
        case 'gap':
          gaps += 1
          return
        case 'note':
          notes += 1
          return
      }
    },
    totals: () => ({
      llm: llm.totals(),
      tools: tools.listed((a, b) => b.calls - a.calls),
      mcpServers: servers.listed((a, b) => b.calls - a.calls),
      hosts: hosts.listed((a, b) => b.exchanges - a.exchanges),
      files: files.listed((a, b) => (a.path < b.path ? -1 : 1)),
      processes: { items: [...processes], more: more.processes },
      terminals: { items: [...terminals], more: more.terminals },
      gaps,
      notes,
      secretsMasked: masked,
    }),
  }
}

/**
 * Entries by name: so many are kept, those after them are only counted as further names at most once each in
 * a row.
 */
class Counted<T extends object> {
  readonly #entries = new Map<string, T>()
  #more = 0

  /** Null if there are too many names already. */
  get(name: string, make: () => T): T | null {
    const known = this.#entries.get(name)
    if (known !== undefined) return known
    if (this.#entries.size >= MAX_NAMES || name.length > 4096) {
      this.#more += 1
      return null
    }
    const made = make()
    this.#entries.set(name, made)
    return made
  }

  listed(order: (a: T, b: T) => number): Listed<T> {
    const sorted = [...this.#entries.values()].sort(order)
    const items = sorted.slice(0, MAX_LISTED).map((entry) => ({ ...entry }))
    return { items, more: sorted.length - items.length + this.#more }
  }
}

function collectLlm(readPayload: ReadPayload): {
  /** Names of the tools that the answer asks for. */
  add(row: number, atMs: number, durationMs: number | null, kind: Kind<'llm_call'>): readonly string[]
  totals(): LlmTotals
} {
  const models = new Counted<{ model: string; calls: number; inputTokens: number; outputTokens: number }>()
  const turns: LlmTurn[] = []
  const sum = {
    calls: 0,
    errors: 0,
    inputTokens: 0,
    outputTokens: 0,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    durationMs: 0,
  }
  let costUsd: number | null = null
  return {
    add(row, atMs, durationMs, kind) {
      const answer = fieldsOf(jsonOf(readPayload(kind.response) ?? 'null'))
      const usage = { ...answer, ...fieldsOf(kind.usage) }
      const tokens = (name: string): number => Math.max(0, numberOf(usage[name]) ?? 0)
      const [input, output] = [tokens('input_tokens'), tokens('output_tokens')]
      const model = kind.model ?? textOf(answer.model) ?? 'unknown'
      const tools = objectsOf(answer.tool_calls).map((call) => (textOf(call.name) ?? 'unknown').slice(0, 200))
      const cost = numberOf(usage.cost_usd) ?? numberOf(usage.cost)
      if (cost !== null) costUsd = (costUsd ?? 0) + cost
      sum.calls += 1
      sum.inputTokens += input
      sum.outputTokens += output
      sum.cacheReadTokens += tokens('cache_read_tokens')
      sum.cacheWriteTokens += tokens('cache_write_tokens')
      sum.durationMs += durationMs ?? 0
      if (kind.error !== undefined) sum.errors += 1
      const known = models.get(model.slice(0, 200), () => ({
        model: model.slice(0, 200),
        calls: 0,
        inputTokens: 0,
        outputTokens: 0,
      }))
      if (known !== null) {
        known.calls += 1
        known.inputTokens += input
        known.outputTokens += output
      }
      if (turns.length < MAX_LISTED) {
        const error = kind.error === undefined ? null : JSON.stringify(kind.error).slice(0, 200)
        const text = (textOf(answer.text) ?? '').slice(0, 200)
        const turn = sum.calls
        turns.push({
          row,
          turn,
          model,
          atMs,
          durationMs,
          inputTokens: input,
          outputTokens: output,
          tools: tools.slice(0, 20),
          text,
          error,
        })
      }
      return tools
    },
    totals: () => ({
      ...sum,
      costUsd,
      models: models.listed((a, b) => b.calls - a.calls),
      turns: { items: [...turns], more: sum.calls - turns.length },
    }),
  }
}

function processRun(row: number, atMs: number, kind: Kind<'process_spawn'>): ProcessRun {
  const command = [kind.program, ...kind.args].join(' ').slice(0, 300)
  return {
    row,
    command,
    exitCode: kind.exitCode,
    signal: kind.signal ?? null,
    atMs,
    durationMs: kind.durationMs,
  }
}

function hostOf(url: string): string {
  return (/^[a-z]+:\/\/([^/?#]*)/i.exec(url)?.[1] ?? url).slice(0, 200)
}
