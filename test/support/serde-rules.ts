/**
 * Whether Harn would load a line: the rules of serde_json and of its types, written down a second time and
 * apart from our codec. Half of a surrogate pair, 128 levels of nesting, a number that its type cannot hold
 * and a missing field each fail its whole load.
 */

type Node =
  | { readonly text: string }
  | { readonly members: ReadonlyMap<string, Node> }
  | { readonly items: readonly Node[] }

const TOKEN = /\s*("(?:[^"\\]|\\.)*"|[{}[\],:]|-?\d[\d.eE+-]*|true|false|null)\s*/y
const PAIR = /\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}/g

type Type = 'u32' | 'u64' | 'i64' | 'i32' | 'string' | 'strings' | 'payload'
type Shape = { readonly [name: string]: Type | `${Type}?` }

const RANGES = {
  u32: [0n, 2n ** 32n - 1n],
  u64: [0n, 2n ** 64n - 1n],
  i64: [-(2n ** 63n), 2n ** 63n - 1n],
  i32: [-(2n ** 31n), 2n ** 31n - 1n],
} as const

const HEADER: Shape = {
  version: 'u32',
  harn_version: 'string',
  started_at_unix_ms: 'i64?',
  script_path: 'string?',
  argv: 'strings?',
}
const ENVELOPE: Shape = { seq: 'u64', virtual_time_ms: 'i64', monotonic_ms: 'i64' }
const KINDS: Readonly<Record<string, Shape>> = {
  clock_read: { source: 'string', value_ms: 'i64' },
  clock_sleep: { duration_ms: 'u64' },
  llm_call: { request_digest: 'string', response: 'payload' },
  decision_evaluation: { request_digest: 'string', response: 'payload' },
  file_read: { path: 'string', content_hash: 'string', len_bytes: 'u64' },
  file_write: { path: 'string', content_hash: 'string', len_bytes: 'u64' },
  file_delete: { path: 'string' },
  process_spawn: {
    ...{ program: 'string', args: 'strings', cwd: 'string?', exit_code: 'i32', duration_ms: 'u64' },
    ...{ stdout_payload: 'payload', stderr_payload: 'payload' },
  },
  mcp_json_rpc: {
    ...{
      server: 'string',
      method: 'string',
      request_digest: 'string',
      response_digest: 'string',
      latency_ms: 'u64',
    },
    ...{ request_payload: 'payload', response_payload: 'payload' },
  },
  model_job: {
    ...{ job_id: 'string', request_id: 'string', backend: 'string', state: 'string', event_kind: 'string' },
    ...{ event: 'payload', asset_digests: 'strings' },
  },
}

/** What Harn would say against the line, or null. */
export function serdeProblem(line: string): string | null {
  try {
    const root = parse(line)
    const type = field(root, 'type')
    if (type === '"header"') return shapeProblem(root, HEADER)
    if (type !== '"record"') return `type is ${type}`
    const phase = field(root, 'phase')
    if (phase !== undefined && phase !== '"user_script"' && phase !== '"runtime_finalize"')
      return `phase is ${phase}`
    const kind = 'members' in root ? root.members.get('kind') : undefined
    const name = kind === undefined ? undefined : field(kind, 'kind')
    if (kind === undefined || name === undefined || !name.startsWith('"')) return 'kind is missing'
    return shapeProblem(root, ENVELOPE) ?? shapeProblem(kind, KINDS[String(JSON.parse(name))] ?? {})
  } catch (error) {
    if (error instanceof SerdeError) return error.message
    throw error
  }
}

class SerdeError extends Error {}

function field(node: Node, name: string): string | undefined {
  const member = 'members' in node ? node.members.get(name) : undefined
  return member !== undefined && 'text' in member ? member.text : undefined
}

function shapeProblem(node: Node, shape: Shape): string | null {
  if (!('members' in node)) return 'not an object'
  for (const [name, wanted] of Object.entries(shape)) {
    const isOptional = wanted.endsWith('?')
    const member = node.members.get(name)
    if (member === undefined || ('text' in member && member.text === 'null')) {
      if (isOptional) continue
      return `${name} is missing`
    }
    if (!fits(member, wanted.replace('?', '') as Type)) return `${name} is not ${wanted}`
  }
  return null
}

function fits(node: Node, type: Type): boolean {
  switch (type) {
    case 'string':
      return 'text' in node && node.text.startsWith('"')
    case 'strings':
      return 'items' in node && node.items.every((item) => fits(item, 'string'))
    case 'payload': {
      const members = 'members' in node ? node.members : new Map<string, Node>()
      const [hash, text, length] = [
        members.get('content_hash'),
        members.get('text'),
        members.get('len_bytes'),
      ]
      if (hash === undefined || !fits(hash, 'string')) return false
      return (text !== undefined && fits(text, 'string')) || (length !== undefined && fits(length, 'u64'))
    }
    default: {
      if (!('text' in node) || !/^-?\d+$/.test(node.text) || node.text === '-0') return false
      const value = BigInt(node.text)
      return value >= RANGES[type][0] && value <= RANGES[type][1]
    }
  }
}

function parse(line: string): Node {
  TOKEN.lastIndex = 0
  let token = next()
  const root = value(0)
  if (token !== '') throw new SerdeError('trailing characters')
  return root

  function next(): string {
    if (TOKEN.lastIndex >= line.length) return ''
    const found = TOKEN.exec(line)?.[1]
    if (found === undefined) throw new SerdeError('not JSON')
    if (found.startsWith('"') && /\\u[dD][89a-fA-F]/.test(found.replace(PAIR, '').replace(/\\\\/g, ''))) {
      throw new SerdeError('lone surrogate in a string')
    }
    return found
  }

  function value(depth: number): Node {
    const start = token
    token = next()
    if (start !== '{' && start !== '[') return { text: start }
    if (depth >= 127) throw new SerdeError('recursion limit exceeded')
    return start === '{' ? object(depth + 1) : list(depth + 1)
  }

  function object(depth: number): Node {
    const members = new Map<string, Node>()
    while (token !== '}') {
      const key = String(JSON.parse(token))
      token = next()
      token = next()
      members.set(key, value(depth))
      if (token === ',') token = next()
    }
    token = next()
    return { members }
  }

  function list(depth: number): Node {
    const items: Node[] = []
    while (token !== ']') {
      items.push(value(depth))
      if (token === ',') token = next()
    }
    token = next()
    return { items }
  }
}
