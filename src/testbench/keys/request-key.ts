/**
 * The match key of a request: method, URL without fragment and body, of the *scrubbed* request, so that a
 * replay with another key, or none, matches. JSON bodies count in their canonical form, multipart bodies with
 * their boundary normalised. Headers do not count, unless requested.
 */
import {
  type ContentHash,
  canonicalJsonText,
  contentHash,
  contentHashOfText,
  createBlake3,
  type GrowingHash,
  type GrowingJson,
  headerOf,
  isUtf8,
  type Json,
  parseJson,
  textOrNull,
  utf8,
} from '../../base/index.ts'
import type { HttpRequest } from '../../boundaries/session.ts'
import {
  normalisePlaceholders,
  type Scrubbed,
  type ScrubbedBytes,
  type ScrubbedText,
  type Scrubber,
} from '../../scrub/index.ts'
import { scrubbedHeaders } from '../../scrub/scrubbed-headers.ts'
import {
  concatScrubbed,
  joinScrubbed,
  partOfScrubbed,
  readScrubbed,
  type ScrubbedRead,
  scrubbedText,
  scrubbedTextOrNull,
  sliceScrubbed,
} from '../../scrub/scrubbed-parts.ts'
import type { HeaderPairs } from '../../tape/index.ts'
import { type McpHttpRequest, mcpHttpRequest } from '../mcp/http-request.ts'
import type { RpcId } from '../mcp/json-rpc.ts'
import { rpcKey, rpcSubject } from '../mcp/rpc-key.ts'
import { type BodyStore, isHeldWhole, LargeBody, type StoredBody } from '../records/large-body.ts'
import { hashOfList, LONGEST_VALUE } from './list-hash.ts'

const DIGEST_LETTERS = 24

export type MatchRules = {
  /** Names of headers that count. */
  readonly headers?: readonly string[]
  /** Members of JSON bodies that do not count: `$.metadata.user_id`, `$.messages[0].id`. */
  readonly ignore?: readonly string[]
}

export type DescribedRequest = {
  /** `POST https://api.example.com/v1/messages #5f0c…`: readable, and different for different bodies. */
  readonly key: ScrubbedText
  readonly method: ScrubbedText
  readonly url: ScrubbedText
  readonly headers: Scrubbed<HeaderPairs>
  readonly body: ScrubbedBytes | null
  /** Replaces `body` for a body that was stored while it arrived. */
  readonly stored: StoredBody | null
  /** The body as a JSON object; null if it must be parsed. */
  readonly json: ScrubbedRead | null
  /** Its role in MCP, if it belongs to it. */
  readonly mcp: McpHttpRequest | null
  /** Its members show that it is neither a call of a model nor MCP: it need not be parsed. */
  readonly isOther: boolean
}

/** What MCP needs to compare a message of this run with one on the tape. */
export type McpTranslation = {
  /** For a call with another id in this run, its id on the tape. */
  recordedId(connection: string, live: RpcId): RpcId
  /** Maps a path of this machine to that of the recording. */
  moved(text: string): string
}

/** Caches of a session for its bodies, so that a conversation is parsed and hashed once. */
export type KnownBodies = { readonly json: GrowingJson; readonly hashes: GrowingHash }

export function describeRequest(
  request: HttpRequest,
  scrubber: Scrubber,
  rules: MatchRules,
  bodies: KnownBodies,
  store: BodyStore | null,
  translation?: McpTranslation,
): DescribedRequest {
  const method = scrubber.text(request.method, 'sent')
  const url = scrubber.url(request.url)
  const sent = scrubbedHeaders(request.headers, scrubber, 'sent')
  const { hits } = scrubber
  const given = takeBody(request, store)
  const stored = given === null || given instanceof Uint8Array ? null : given
  const body = given instanceof Uint8Array ? scrubBody({ ...request, body: given }, scrubber) : null
  const lenBytes = stored?.lenBytes ?? body?.byteLength ?? null
  // A body that arrived before this call has been scrubbed already.
  const isScrubbed = scrubber.hits !== hits || request.collected !== undefined
  const headers = lenBytes === null || !isScrubbed ? sent : withLength(sent, lenBytes)
  const type = headerOf(request.headers, 'content-type')
  const isLong = body !== null && body.byteLength > LONGEST_VALUE && !isMultipart(type) && !hasIgnored(rules)
  const listHash = isLong ? hashOfList(matchedHeaders(headers, rules), body) : null
  const isOther = listHash !== null
  const json = body === null || isOther ? null : jsonOfBody(body, bodies.json)
  const mcp = !isOther && mayBeMcp(request, body, json) ? mcpHttpRequest({ ...request, body }) : null
  const digestOf = (): ContentHash => {
    if (listHash !== null) return listHash
    const counted = matchedHeaders(headers, rules)
    if (stored !== null) return stored.digest(counted)
    if (mcp === null && json !== null && counted.length === 0 && !isMultipart(type) && !hasIgnored(rules)) {
      const { head, pieces, tail } = json.canonical()
      return bodies.hashes.hash(head, pieces, tail)
    }
    if (body !== null && json === null && mcp === null && isPlainText(body, type))
      return hashOfBytes(counted, body)
    const content =
      mcp === null || mcp.messages.length === 0
        ? canonicalBody(body, type, rules)
        : rpcContent(mcp, rules, translation)
    return contentHashOfText([...counted, content].join('\n'))
  }
  const plain = lenBytes === null && (rules.headers ?? []).length === 0
  const subject = mcp === null || body === null ? scrubbedText`` : subjectOf(mcp, body, scrubber)
  const digest = plain ? scrubbedText`` : scrubbedText` #${sliceScrubbed(digestOf(), 0, DIGEST_LETTERS)}`
  const key = scrubbedText`${method} ${normalisePlaceholders(url)}${normalisePlaceholders(subject)}${digest}`
  return { key, method, url, headers, body, stored, json, mcp, isOther }
}

/** The key of a recorded request as it is on the tape, by no rules of the user. Not that of a message of MCP. */
export function plainKey({ method, url, headers, body }: HttpRequest): string {
  const content = canonicalBody(body, headerOf(headers, 'content-type'), {})
  const digest = body === null ? '' : ` #${contentHashOfText(content).slice(0, DIGEST_LETTERS)}`
  return `${method} ${normalisePlaceholders(url)}${digest}`
}

/** The body, if it can be held; as it was stored, if not. */
function takeBody(request: HttpRequest, store: BodyStore | null): Uint8Array | StoredBody | null {
  const { body, collected } = request
  if (collected instanceof LargeBody) return collected.end()
  if (store === null || body === null || isHeldWhole(request.headers, body, store)) return body
  const large = new LargeBody(request.headers, store)
  for (const piece of piecesOf(body)) large.add(piece)
  const taken = large.end()
  return taken instanceof Uint8Array ? body : taken
}

/** MCP posts JSON-RPC, or opens a stream of events. */
function mayBeMcp(
  { method, headers }: HttpRequest,
  body: ScrubbedBytes | null,
  json: ScrubbedRead | null,
): boolean {
  if (method === 'POST') return body !== null && (json === null || json.value.jsonrpc !== undefined)
  return method === 'GET' && headerOf(headers, 'accept')?.toLowerCase().includes('event-stream') === true
}

function jsonOfBody(bytes: ScrubbedBytes, bodies: GrowingJson): ScrubbedRead | null {
  return bytes[0] === OPEN_BRACE ? readScrubbed(bodies, bytes) : null
}

const OPEN_BRACE = 0x7b

/**
 * The `content-length` of the scrubbed body: with that of the real one, the length of the secret could be
 * computed.
 */
function withLength(headers: Scrubbed<HeaderPairs>, lenBytes: number): Scrubbed<HeaderPairs> {
  return headers.map(([name, value]) =>
    name.toLowerCase() === 'content-length' ? ([name, scrubbedText`${lenBytes}`] as const) : [name, value],
  )
}

/**
 * Method and name of each message, from the scrubbed body. A name that is spelled with escapes there is
 * scrubbed again.
 */
function subjectOf(mcp: McpHttpRequest, body: ScrubbedBytes, scrubber: Scrubber): ScrubbedText {
  const text = scrubbedTextOrNull(body) ?? scrubbedText``
  const clean = (part: string): ScrubbedText => partOfScrubbed(text, part) ?? scrubber.text(part, 'sent')
  const subjects = mcp.messages.map((message) => joinScrubbed(rpcSubject(message).split(' ').map(clean), ' '))
  return joinScrubbed(
    subjects.map((subject) => scrubbedText` ${subject}`),
    ',',
  )
}

function rpcContent(mcp: McpHttpRequest, rules: MatchRules, translation: McpTranslation | undefined): string {
  const own =
    translation === undefined
      ? {}
      : {
          recordedId: (live: RpcId) => translation.recordedId(mcp.connection, live),
          moved: translation.moved,
        }
  return mcp.messages.map((message) => canonicalIfJson(rpcKey(message, own), rules.ignore ?? [])).join('\n')
}

function scrubBody(request: HttpRequest, scrubber: Scrubber): ScrubbedBytes | null {
  if (request.body === null) return null
  const body = scrubber.body(
    {
      contentType: headerOf(request.headers, 'content-type'),
      contentEncoding: headerOf(request.headers, 'content-encoding'),
      // Any other body is the program's: it may change it before it is written.
      ...(request.isCopy === true || request.collected !== undefined ? { isOwned: true } : {}),
    },
    'sent',
  )
  // A held body is copied for each piece; any other takes several times its length as text.
  const pieces = body.isHeld ? [request.body] : piecesOf(request.body)
  const scrubbed = pieces.map((piece) => body.push(piece))
  const parts = [...scrubbed, ...body.end().chunks].filter((part) => part.byteLength > 0)
  return parts.length === 1 && parts[0] !== undefined ? parts[0] : concatScrubbed(parts)
}

function piecesOf(bytes: Uint8Array): readonly Uint8Array[] {
  return Array.from({ length: Math.ceil(bytes.byteLength / PIECE_BYTES) }, (_, at) =>
    bytes.subarray(at * PIECE_BYTES, (at + 1) * PIECE_BYTES),
  )
}

const PIECE_BYTES = 1024 * 1024

/** True for a large body whose canonical form is its own bytes: text without placeholders, and no JSON. */
function isPlainText(body: ScrubbedBytes, type: string | undefined): boolean {
  if (body.byteLength <= PIECE_BYTES || /^multipart\//i.test(type ?? '') || !isUtf8(body)) return false
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  const first = bytes.toString('utf8', 0, PIECE_BYTES).trimStart()
  return first !== '' && !/^[[{]/.test(first) && !bytes.includes('<redacted:') && !bytes.includes('%3')
}

/** The hash of the lines and the body, without a copy of the body. */
function hashOfBytes(lines: readonly string[], body: Uint8Array): ContentHash {
  const hash = createBlake3()
  hash.update(utf8(lines.map((line) => `${line}\n`).join('')))
  hash.update(body)
  return hash.digest()
}

function isMultipart(type: string | undefined): boolean {
  return /^multipart\//i.test(type ?? '')
}

function hasIgnored({ ignore = [] }: MatchRules): boolean {
  return ignore.length > 0
}

function canonicalBody(body: Uint8Array | null, type: string | undefined, rules: MatchRules): string {
  if (body === null) return ''
  const text = textOrNull(body)
  if (text === null) return contentHash(body)
  const boundary = /^multipart\/.*boundary="?([^";]+)"?/i.exec(type ?? '')?.[1]
  if (boundary !== undefined) return normalisePlaceholders(text.replaceAll(boundary, 'boundary'))
  return normalisePlaceholders(canonicalIfJson(text, rules.ignore ?? []))
}

function canonicalIfJson(text: string, ignore: readonly string[]): string {
  if (!/^\s*[[{]/.test(text)) return text
  try {
    if (ignore.length === 0) return canonicalJsonText(text)
    const value: Json = parseJson(text)
    for (const path of ignore) removeMember(value, path)
    return canonicalJsonText(JSON.stringify(value))
  } catch {
    // Not JSON after all, or nested too deep to sort: the text itself is the key.
    return text
  }
}

/** Removes the member that `$.a.b[0]` names, if it exists. `[*]` means every element. */
function removeMember(value: Json, path: string): void {
  const steps = [...path.matchAll(/\.([^.[\]]+)|\[(\d+|\*)\]/g)].map(([, name, index]) => name ?? index ?? '')
  const walk = (node: unknown, at: number): void => {
    if (typeof node !== 'object' || node === null) return
    const container = node as { [key: string]: unknown }
    const step = steps[at] ?? ''
    for (const key of step === '*' ? Object.keys(container) : [step]) {
      if (at === steps.length - 1) delete container[key]
      else walk(container[key], at + 1)
    }
  }
  if (steps.length > 0) walk(value, 0)
}

function matchedHeaders(headers: HeaderPairs, rules: MatchRules): string[] {
  const wanted = new Set((rules.headers ?? []).map((name) => name.toLowerCase()))
  return headers
    .filter(([name]) => wanted.has(name.toLowerCase()))
    .map(([name, value]) => `${name.toLowerCase()}: ${normalisePlaceholders(value)}`)
}
