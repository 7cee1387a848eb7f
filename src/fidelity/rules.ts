/**
 * What is compared of every kind, field by field: its category, its words, and whether it counts in every
 * mode or only in the strict ones.
 *
 * Driven by the table of kinds, so that no kind and no field lacks a rule: upstream's fields carry upstream's
 * categories and words, every other field is `<kind>_<field>`. Numbers that only number (`seq`, the id of an
 * effect) are links: they are compared as references, never as values.
 */
import { type KindName, kinds, upstreamKinds } from '../tape/kinds.ts'

export type FieldShape = 'plain' | 'payload' | 'chunk' | 'headers' | 'json' | 'conversation'

export type FieldRule = {
  /** Name in memory, and on the wire. */
  readonly name: string
  readonly wire: string
  readonly category: string
  /** Begins the sentence: `<thing> diverged: recorded=<a> replay=<b>`. */
  readonly thing: string
  /** `link`: an id of an effect, compared by what it refers to. `never`: a position, not content. */
  readonly counts: 'always' | 'strict' | 'link' | 'never'
  readonly shape: FieldShape
  /**
   * How the sentence spells the value; `debug` and `variant` are how Rust prints a list, an option and an
   * enum.
   */
  readonly spelling: 'plain' | 'ms' | 'debug' | 'variant'
  /** Ours on one of upstream's kinds: a foreign tape never has it. */
  readonly ownField: boolean
  /** Not compared when this other field differs already: both show the same difference. */
  readonly shadowedBy: string | null
}

type Override = Partial<
  Pick<FieldRule, 'category' | 'thing' | 'counts' | 'spelling' | 'shape' | 'shadowedBy'>
>
type Overrides = { readonly [K in KindName]?: { readonly [field: string]: Override } }

const link: Override = { counts: 'link' }

const llm = {
  requestDigest: { category: 'llm_request_digest', thing: 'LLM request digest' },
  response: { category: 'llm_response_hash', thing: 'LLM response hash' },
} as const satisfies { readonly [field: string]: Override }

const file = (kind: 'file_read' | 'file_write'): { readonly [field: string]: Override } => ({
  contentHash: { category: `${kind}_hash`, thing: `${kind} content hash` },
  lenBytes: { category: `${kind}_len`, thing: `${kind} length`, counts: 'strict' },
  // Its hash is content_hash; the bytes are there for the detail.
  payload: { counts: 'never' },
})

const overrides: Overrides = {
  clock_read: {
    source: { spelling: 'variant' },
    valueMs: { category: 'clock_read_value' },
    value: { category: 'clock_read_exact', thing: 'clock_read exact value', shadowedBy: 'valueMs' },
    api: { counts: 'strict' },
  },
  clock_sleep: {
    durationMs: { category: 'clock_sleep_duration', thing: 'sleep duration', spelling: 'ms' },
    of: { counts: 'strict' },
  },
  llm_call: {
    ...llm,
    provider: { category: 'llm_provider', thing: 'LLM provider' },
    model: { category: 'llm_model', thing: 'LLM model' },
    request: {
      category: 'llm_request',
      thing: 'LLM request',
      shape: 'conversation',
      shadowedBy: 'requestDigest',
    },
    usage: { category: 'llm_usage', thing: 'LLM usage' },
    wire: { category: 'llm_wire', counts: 'never' },
    error: { category: 'llm_error', thing: 'LLM error' },
  },
  decision_evaluation: llm,
  file_read: file('file_read'),
  file_write: file('file_write'),
  process_spawn: {
    program: { category: 'process_program', thing: 'subprocess program' },
    args: { category: 'process_args', thing: 'subprocess args', spelling: 'debug' },
    cwd: { category: 'process_cwd', thing: 'subprocess cwd', spelling: 'debug' },
    exitCode: { category: 'process_exit_code', thing: 'subprocess exit code' },
    durationMs: {
      category: 'process_duration',
      thing: 'subprocess duration',
      counts: 'strict',
      spelling: 'ms',
    },
    stdoutPayload: { category: 'process_stdout_hash', thing: 'subprocess stdout hash' },
    stderrPayload: { category: 'process_stderr_hash', thing: 'subprocess stderr hash' },
    stdin: { category: 'process_stdin_hash', thing: 'subprocess stdin hash' },
    signal: { category: 'process_signal', thing: 'subprocess signal' },
    io: { category: 'process_io', thing: 'subprocess io order', counts: 'strict' },
    tape: { category: 'process_tape', thing: "subprocess's own tape", counts: 'strict' },
  },
  mcp_json_rpc: {
    server: { category: 'mcp_server', thing: 'MCP server' },
    method: { category: 'mcp_method', thing: 'MCP method' },
    requestDigest: { category: 'mcp_request_digest', thing: 'MCP request digest' },
    responseDigest: { category: 'mcp_response_digest', thing: 'MCP response digest' },
    latencyMs: { category: 'mcp_latency', thing: 'MCP latency', counts: 'strict', spelling: 'ms' },
    requestPayload: { category: 'mcp_request_hash', thing: 'MCP request hash' },
    responsePayload: { category: 'mcp_response_hash', thing: 'MCP response hash' },
    wire: { category: 'mcp_wire', counts: 'never' },
    n: { category: 'mcp_n', counts: 'strict' },
  },
  mcp_message: { wire: { counts: 'never' }, n: { counts: 'strict' } },
  effect_start: { id: link, request: { shape: 'conversation' }, pid: { counts: 'never' } },
  http_exchange: { id: link },
  server_request: { of: link, turn: { counts: 'strict' } },
  server_answer: { of: link },
  ws_message: { of: link },
  http2_frame: { of: link, turn: { counts: 'strict' } },
  timer_fire: { id: link },
  // `parts` differs only where a record could not be separated into its chunks.
  stream_chunk: { of: link, turn: { counts: 'strict' } },
  stream_end: { of: link, turn: { counts: 'strict' } },
  completion: { of: link },
  process_exit: {
    of: link,
    code: { category: 'process_exit_status' },
    durationMs: { counts: 'strict', spelling: 'ms' },
  },
  terminal_output: { of: link },
  // Where the cassette is, and what guards it, differ between two runs that are the same: its text does
  // not.
  terminal_session: { of: link, cassette: { counts: 'never' }, manifestHash: { counts: 'never' } },
}

export type KindRules = {
  readonly fields: readonly FieldRule[]
  readonly links: readonly FieldRule[]
}

type TableField = { readonly wire: string; readonly shape: FieldShape; readonly presence: string }

let made: ReadonlyMap<string, KindRules> | null = null

/** The seal, and what a replay noticed, are no records of the run: they have no rules. */
export function kindRules(): ReadonlyMap<string, KindRules> {
  made ??= new Map(
    Object.entries(kinds)
      .filter(([kind]) => kind !== 'tape_seal' && kind !== 'divergence')
      .map(([kind, fields]) => [kind, rulesOf(kind as KindName, fields)]),
  )
  return made
}

function rulesOf(kind: KindName, table: { readonly [name: string]: TableField }): KindRules {
  const own = overrides[kind] ?? {}
  const rules = Object.entries(table).map(([name, field]): FieldRule => {
    const defaults = {
      category: `${kind}_${field.wire}`,
      thing: `${kind} ${field.wire}`,
      counts: 'always',
      spelling: 'plain',
      shadowedBy: null,
    } as const
    const ownField = upstreamKinds.has(kind) && field.presence === 'optional'
    return { name, wire: field.wire, shape: field.shape, ownField, ...defaults, ...own[name] }
  })
  return {
    fields: rules.filter((rule) => rule.counts !== 'link'),
    links: rules.filter((rule) => rule.counts === 'link'),
  }
}
