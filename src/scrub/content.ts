/**
 * Scrubs a whole body by its content type: JSON, lines of JSON, server-sent events, forms, multipart. Other
 * types are detected from the content.
 */
import { textOrNull, utf8 } from '../base/index.ts'
import { applyEdits } from './edit.ts'
import type { FieldSecrets } from './field-secrets.ts'
import type { Side } from './scrubber.ts'
import { scrubForm } from './url-edits.ts'

export type ContentTools = {
  readonly secrets: FieldSecrets
  text(text: string, side: Side, place?: string): string
  jsonText(text: string, side: Side, place?: string): string
  bytes(bytes: Uint8Array, side: Side, place?: string): Uint8Array
}

export type ContentKind = 'json' | 'lines' | 'form' | 'multipart' | 'other'

const knownKinds = new Map<string, ContentKind>()

export function contentKind(contentType: string | undefined): ContentKind {
  if (contentType === undefined) return 'other'
  const known = knownKinds.get(contentType)
  if (known !== undefined) return known
  const kind = kindOf(contentType)
  if (knownKinds.size < 256 && contentType.length < 200) knownKinds.set(contentType, kind)
  return kind
}

function kindOf(contentType: string): ContentKind {
  const type = contentType.toLowerCase().split(';')[0]?.trim() ?? ''
  if (type === 'application/x-www-form-urlencoded') return 'form'
  if (type.startsWith('multipart/')) return 'multipart'
  if (type === 'text/event-stream' || /(?:ndjson|jsonl|json-seq|jsonlines)$/.test(type)) return 'lines'
  if (type === 'application/json' || type === 'text/json' || type.endsWith('+json')) return 'json'
  return 'other'
}

/** The text of content that is scrubbed as text; null for any other. */
export function contentText(bytes: Uint8Array, contentType: string | undefined): string | null {
  const kind = contentKind(contentType)
  return kind === 'other' || kind === 'multipart' ? null : textOrNull(bytes)
}

export function scrubContent(
  bytes: Uint8Array,
  contentType: string | undefined,
  side: Side,
  tools: ContentTools,
  text = contentText(bytes, contentType),
): Uint8Array {
  const kind = contentKind(contentType)
  if (kind === 'multipart') return scrubMultipart(bytes, contentType ?? '', side, tools)
  if (text === null) return tools.bytes(bytes, side)
  const done =
    kind === 'form'
      ? scrubForm(text, side, tools.secrets)
      : kind === 'lines'
        ? scrubLines(text, side, tools)
        : tools.jsonText(text, side)
  return done === text ? bytes : utf8(done)
}

/**
 * Scrub each line of JSON by its structure, then scan the whole text again by shape: a PEM key spans several
 * lines.
 */
function scrubLines(text: string, side: Side, tools: ContentTools): string {
  const lines = text.split(/(\r\n|\n|\r)/).map((line, index) => {
    if (index % 2 === 1) return line
    const start = /^(?:data:)?[ \t]*/.exec(line)?.[0].length ?? 0
    const isJson = line[start] === '{' || line[start] === '['
    return isJson ? line.slice(0, start) + tools.jsonText(line.slice(start), side) : line
  })
  return tools.text(lines.join(''), 'received')
}

/**
 * Parts keep their order and boundary. Their headers are scrubbed as text, because a file name may be a
 * secret.
 */
function scrubMultipart(bytes: Uint8Array, contentType: string, side: Side, tools: ContentTools): Uint8Array {
  const delimiter = multipartDelimiter(contentType)
  if (delimiter === null) return tools.bytes(bytes, side)
  const whole = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
  const done = whole
    .split(delimiter)
    .map((part, index) => (index === 0 ? tools.text(part, side) : scrubPart(part, side, tools)))
    .join(delimiter)
  return done === whole ? bytes : Buffer.from(done, 'latin1')
}

/** What separates the parts; null if the type does not name it. */
export function multipartDelimiter(contentType: string): string | null {
  const boundary = /boundary=(?:"([^"]{1,200})"|([^;\s]{1,200}))/i.exec(contentType)
  const name = boundary?.[1] ?? boundary?.[2]
  return name === undefined ? null : `--${name}`
}

/** Where the content of a part begins; -1 if its headers have no end. */
export function partBodyStart(part: string): number {
  const head = /\r?\n\r?\n/.exec(part)
  return head === null ? -1 : head.index + head[0].length
}

/** The name of a part whose content is a secret because of it; null for any other. */
export function secretPartName(headers: string, side: Side, tools: ContentTools): string | null {
  const name = /name="([^"]{1,200})"/i.exec(headers)?.[1]
  if (name === undefined || /filename=/i.test(headers)) return null
  return tools.secrets.isSecret(name, side) ? name : null
}

export function scrubPart(part: string, side: Side, tools: ContentTools): string {
  const bodyStart = partBodyStart(part)
  if (bodyStart < 0) return tools.text(part, side)
  const bodyEnd = part.endsWith('\r\n')
    ? part.length - 2
    : part.endsWith('\n')
      ? part.length - 1
      : part.length
  if (bodyEnd <= bodyStart) return tools.text(part, side)
  const headers = part.slice(0, bodyStart)
  const body = part.slice(bodyStart, bodyEnd)
  const name = secretPartName(headers, side, tools)
  const type = /content-type:[ \t]*([^\r\n]{1,200})/i.exec(headers)?.[1]
  const done =
    name === null
      ? Buffer.from(scrubContent(Buffer.from(body, 'latin1'), type, side, tools)).toString('latin1')
      : applyEdits(body, tools.secrets.fieldEdits(name, body, side, `form ${name}`))
  return tools.text(headers, side) + done + part.slice(bodyEnd)
}
