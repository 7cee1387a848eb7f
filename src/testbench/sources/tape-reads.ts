/**
 * Reads of the clock, of randomness and of facts from a tape. Clock and randomness come from the reads of
 * this turn; a clock that is read more often than recorded repeats its last value, and is counted. Randomness
 * is never made up on the tape. A run that has left it uses the next recorded read of a later turn, and makes
 * randomness up if there is none. A variable or fact that the recorded run never read is reported, and is
 * undefined: a program that reads it is another program, but a property cannot be refused.
 *
 * Decision 0395.
 */

import type { ClockValue, IncomingRequest } from '../../boundaries/session.ts'
import { type Divergence, divergenceError } from '../../fidelity/divergence.ts'
import { clockDoesNotAdvance, moreRandom, otherRandomSize, unknownFact } from '../../fidelity/sentences.ts'
import type { Scrubber } from '../../scrub/index.ts'
import { hasFeature } from '../../tape/features.ts'
import type { Kind } from '../../tape/index.ts'
import type { TapePayloads } from '../../tape/tape-payloads.ts'
import { type ClockText, clockValue } from '../records/clock-text.ts'
import { createKeyTexts } from '../records/key-texts.ts'
import type { Delivery, RecordPlace } from '../session/delivery.ts'
import type { Given, Source } from '../session/source.ts'
import type { TapeIndex } from '../tape-index/tape-index.ts'
import type { TapeCursor } from './tape-cursor.ts'

export type TapeReadsOptions = {
  readonly cursor: TapeCursor
  readonly index: TapeIndex
  readonly scrubber: Scrubber
  readonly payloads: TapePayloads
  readonly diverge: (divergence: Divergence) => Divergence
  readonly setPlace: (place: RecordPlace) => void
  /** False once the run has left its tape: what is not on it may then be made up. */
  readonly isOnTape: () => boolean
}

export type TapeReads = Pick<Source, 'readClock' | 'readRandom' | 'readFact'> & {
  /** What the program receives, with tokens for the sub-protocols of its WebSockets. */
  withTokens(deliveries: readonly Delivery[]): readonly Delivery[]
  /** Reads that are not on the tape. */
  readonly extra: { readonly clock: number; readonly facts: number }
}

/** A program that waits for the clock in a loop would wait without end: the tape has no more time to give. */
const MAX_EXTRA_IN_TURN = 100_000
/** Names beyond these are not reported: the run is another one already. */
const MAX_UNKNOWN = 100
const FROM_NOWHERE = {
  at: { seq: 0, phase: 'user_script', virtualTimeMs: 0, monotonicMs: 0, scrubbed: 0 },
} as const

/** The clock of one api, with what it gave last: a clock that has no more reads on the tape repeats it. */
type Clock = {
  readonly unit: ClockValue['unit']
  kind: Kind<'clock_read'> | null
  given: Given<ClockValue> | null
}

function givenBy({ unit }: Clock, text: ClockText): Given<ClockValue> {
  return { value: clockValue(text, unit), recorded: FROM_NOWHERE }
}

export function tapeReads({
  cursor,
  index,
  scrubber,
  payloads,
  diverge,
  setPlace,
  isOnTape,
}: TapeReadsOptions): TapeReads {
  const clocks = new Map<string, Clock>()
  const extra = { clock: 0, facts: 0 }
  const inTurn = { turn: -1, extra: 0 }
  const isStrict = hasFeature(index.header, 'knownNames')
  const unknown = new Set<string>()
  const tokens = protocolTokens(index.protocolSecrets, scrubber)
  const keys = createKeyTexts(index.header, scrubber)
  const noteUnknown = (api: string, name: string): void => {
    if (unknown.size >= MAX_UNKNOWN || unknown.has(`${api} ${name}`)) return
    unknown.add(`${api} ${name}`)
    diverge(unknownFact(cursor.peekDelivery()?.seq ?? null, api, name))
  }
  /** What a recorded response depends on, such as the key of a WebSocket, comes with its request. */
  const laterRandom = (api: string, size: number | undefined): Uint8Array | null => {
    const read = cursor.takeRandomAhead(api, size, ({ kind }) => payloads(kind.data).byteLength)
    return read === null ? null : payloads(read.kind.data)
  }
  const clockOf = (api: string): Clock => {
    const known = clocks.get(api)
    if (known !== undefined) return known
    const unit = /^(process\.hrtime|Temporal\.Now)/.test(api) ? 'ns' : 'ms'
    const clock: Clock = { unit, kind: null, given: null }
    clocks.set(api, clock)
    return clock
  }
  const countExtra = (api: string): void => {
    extra.clock += 1
    if (inTurn.turn !== cursor.turn) Object.assign(inTurn, { turn: cursor.turn, extra: 0 })
    inTurn.extra += 1
    if (inTurn.extra > MAX_EXTRA_IN_TURN) throw divergenceError(diverge(clockDoesNotAdvance(api)))
  }
  return {
    extra,
    readClock({ api, source }) {
      const clock = clockOf(api)
      const read = cursor.takeRead('clock_read', api)
      if (read === null) {
        countExtra(api)
        clock.given ??= givenBy(clock, {
          valueMs: source === 'wall' ? (cursor.peekDelivery()?.virtualTimeMs ?? 0) : 0,
        })
        return clock.given
      }
      setPlace(read)
      // Reads in one millisecond share their kind.
      if (clock.given !== null && read.kind === clock.kind) return clock.given
      clock.kind = read.kind
      clock.given = givenBy(clock, read.kind)
      return clock.given
    },
    readRandom({ api, size }, perform) {
      const read = cursor.takeRead('random_read', api)
      if (read?.kind.kind === 'random_read') {
        const bytes = payloads(read.kind.data)
        if (size !== undefined && bytes.byteLength !== size && !isOnTape())
          return { value: laterRandom(api, size) ?? perform() }
        if (size !== undefined && bytes.byteLength !== size)
          throw divergenceError(diverge(otherRandomSize(read.seq, api, bytes.byteLength, size)))
        const at = read
        setPlace(at)
        return { value: bytes, recorded: { at } }
      }
      if (!isOnTape()) return { value: laterRandom(api, size) ?? perform() }
      const seq = cursor.peekDelivery()?.seq ?? null
      throw divergenceError(diverge(moreRandom(seq, api)))
    },
    readFact({ api, name }) {
      const known = index.fact(api, name)
      if (known === undefined && isStrict && isOnTape()) noteUnknown(api, name)
      if (known === undefined || known.extra) extra.facts += 1
      const value = known?.value ?? null
      const at = { ...FROM_NOWHERE.at, scrubbed: known?.scrubbed ?? 0 }
      if (value === null) return { value, recorded: { at } }
      const given = keys.inText(textWithTokens(value, tokens))
      // A placeholder from the tape counts as seen: numbered placeholders come out as they did when recorded.
      return {
        value: scrubber.text(value, 'received'),
        recorded: { at },
        ...(given === value ? {} : { given }),
      }
    },
    withTokens: (deliveries) => deliveries.map((delivery) => withTokensIn(delivery, tokens)),
  }
}

function textWithTokens(value: string, tokens: ReadonlyMap<string, string>): string {
  let text = value
  for (const [placeholder, token] of tokens) text = text.replaceAll(placeholder, token)
  return text
}

/** The same for requests and bytes that the program receives: a token is as long as its placeholder. */
function withTokensIn(delivery: Delivery, tokens: ReadonlyMap<string, string>): Delivery {
  const { outcome, given } = delivery
  if (given === undefined && outcome.type === 'chunk') {
    const bytes = bytesWithTokens(outcome.bytes, tokens)
    return bytes === outcome.bytes ? delivery : { ...delivery, given: [{ ...outcome, bytes }] }
  }
  const outcomes = given ?? [outcome]
  if (!outcomes.some(({ type }) => type === 'request')) return delivery
  return {
    ...delivery,
    given: outcomes.map((one) => (one.type === 'request' ? requestWithTokens(one, tokens) : one)),
  }
}

function requestWithTokens(request: IncomingRequest, tokens: ReadonlyMap<string, string>): IncomingRequest {
  const headers = request.headers.map(([name, value]) => [name, textWithTokens(value, tokens)] as const)
  const { body } = request
  return {
    ...request,
    headers,
    ...(body === undefined ? {} : { body: bytesWithTokens(body, tokens) }),
  }
}

/** The same bytes if they have no placeholder. */
function bytesWithTokens(given: Uint8Array, tokens: ReadonlyMap<string, string>): Uint8Array {
  const bytes = Buffer.from(given)
  let isChanged = false
  for (const [placeholder, token] of tokens)
    for (let at = bytes.indexOf(placeholder); at >= 0; at = bytes.indexOf(placeholder, at + 1)) {
      bytes.write(token, at, 'latin1')
      isChanged = true
    }
  return isChanged ? bytes : given
}

/**
 * Clients of WebSockets reject the `<` of a placeholder in a sub-protocol, and servers in a bearer token. A program
 * that sent or received a secret there gets a token instead, which the scrubber replaces by the placeholder.
 */
function protocolTokens(placeholders: ReadonlySet<string>, scrubber: Scrubber): ReadonlyMap<string, string> {
  const tokens = new Map<string, string>()
  for (const placeholder of placeholders) {
    const token = placeholder.replaceAll(/[^A-Za-z0-9_.-]/g, '.')
    scrubber.learnAs(token, placeholder)
    tokens.set(placeholder, token)
  }
  return tokens
}
