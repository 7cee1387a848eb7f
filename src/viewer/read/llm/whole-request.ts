/**
 * The whole request of a call, put together from the differences in which it is stored: back through `base`
 * to one that is stored whole, then forward. Each step reads one line.
 */
import {
  type GrownRequest,
  grow,
  grownRequestOf,
  isRequest,
  type RequestObject,
} from '../../../tape/grown-request.ts'
import { NONE } from '../../layout/rows.ts'
import { lineText, recordOf } from '../lines.ts'
import type { TapeIndexReader } from '../tape-index.ts'
import { numberOf, parsed, type WireObject } from '../wire.ts'

const MAX_STEPS = 10_000

export type WholeRequest = { readonly body: RequestObject; readonly kept: number }

/** Reads the text of a payload of an exchange; null if it is missing. */
export type ReadPayloadText = (payload: unknown) => Promise<string | null>

/** The request of the `llm_call` or `effect_start` in this row; null if it is not on the tape. */
export async function wholeRequest(
  index: TapeIndexReader,
  row: number,
  readPayload: ReadPayloadText,
): Promise<WholeRequest | null> {
  const steps: GrownRequest[] = []
  let at: number | null = row
  while (at !== null && steps.length < MAX_STEPS) {
    const found: FoundRequest | null = await requestIn(index, at, readPayload)
    if (found === null) return null
    const grown = grownRequestOf(found.request)
    if (grown === null) {
      if (!isRequest(found.request)) return null
      return { body: steps.reduceRight(grow, found.request), kept: steps[0]?.keep ?? 0 }
    }
    steps.push(grown)
    const base = await index.rowOfSeq(grown.base)
    // A base that is not earlier is damage, or a trap.
    at = base !== null && base < at ? base : null
  }
  return null
}

type Json = RequestObject[string]
type FoundRequest = { readonly request: Json }

async function requestIn(
  index: TapeIndexReader,
  row: number,
  readPayload: ReadPayloadText,
): Promise<FoundRequest | null> {
  const kind = await kindIn(index, row)
  if (kind === null) return null
  if (isJson(kind.request)) return { request: kind.request }
  const entry = await index.row(row)
  const start = kind.kind === 'effect_start' ? row : (entry?.effect ?? NONE)
  if (start === NONE || start > row) return null
  return start === row
    ? await bodyOfExchange(index, start, readPayload)
    : await requestOfStart(index, start, row, readPayload)
}

async function requestOfStart(
  index: TapeIndexReader,
  start: number,
  row: number,
  readPayload: ReadPayloadText,
): Promise<FoundRequest | null> {
  const body = await bodyOfExchange(index, start, readPayload)
  if (body !== null || start >= row) return body
  const whole = await wholeRequest(index, start, readPayload)
  return whole === null ? null : { request: whole.body }
}

/** The body that the `http_exchange` of an effect holds. */
async function bodyOfExchange(
  index: TapeIndexReader,
  start: number,
  readPayload: ReadPayloadText,
): Promise<FoundRequest | null> {
  const end = (await index.row(start))?.effect ?? NONE
  const exchange = await exchangeRow(index, start, end === NONE ? start : end)
  const kind = exchange === null ? null : await kindIn(index, exchange)
  if (kind === null || kind.request_body === undefined) return null
  const text = await readPayload(kind.request_body)
  const value = text === null ? undefined : parsed(text)
  return isJson(value) ? { request: value } : null
}

const MAX_SCANNED = 65_536

async function exchangeRow(index: TapeIndexReader, start: number, end: number): Promise<number | null> {
  const number = index.metadata.kinds.indexOf('http_exchange')
  const to = Math.min(end + 1, start + MAX_SCANNED)
  const table = await index.rows(start, to)
  for (let row = start; row < Math.min(to, table.end); row += 1) {
    if (table.kind(row) === number && table.effect(row) === start) return row
  }
  return null
}

async function kindIn(index: TapeIndexReader, row: number): Promise<WireObject | null> {
  const entry = await index.row(row)
  return entry === null ? null : (recordOf(await lineText(index, entry))?.kind ?? null)
}

/** What was parsed from JSON is JSON. */
function isJson(value: unknown): value is Json {
  return value !== undefined && numberOf(value) !== Number.POSITIVE_INFINITY
}
