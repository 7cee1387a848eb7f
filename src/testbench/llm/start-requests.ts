/**
 * What `effect_start` says of the body of a call: the whole request, or what is new in it, such that printing
 * the rebuilt value gives the very bytes that were sent. Where that is not so, or too much for a line, it
 * says nothing and the exchange carries the bytes.
 *
 * A recording and the tape of a replay both come through here, so that equal runs say equal things.
 */
import type { RecognisedCall } from '../../llm/recognise.ts'
import type { ScrubbedJson } from '../../scrub/index.ts'
import { RequestLedger, type RequestParts } from './request-ledger.ts'

/** A request, or what is new in it, that is larger than this does not go into a line. */
const MAX_LINE_JSON = 1024 * 1024

export class StartRequests {
  readonly #ledger = new RequestLedger()
  /** Calls whose body comes with their exchange. */
  readonly #awaited = new Map<number, { readonly seq: number; readonly parts: RequestParts }>()

  lineOf(call: RecognisedCall, parts: RequestParts): ScrubbedJson | undefined {
    return call.isCompact ? lineJson(this.#ledger.difference(parts) ?? call.body) : undefined
  }

  /** `effect_start` of effect `id` is record `seq`, and said `line`. */
  started(
    id: number,
    seq: number,
    call: RecognisedCall,
    parts: RequestParts,
    line: ScrubbedJson | undefined,
  ): void {
    if (line !== undefined) this.#ledger.add(seq, parts)
    else if (call.isCompact) this.#awaited.set(id, { seq, parts })
  }

  /** The exchange is on the tape: from here on a difference may refer to its body. */
  answered(id: number): void {
    const awaited = this.#awaited.get(id)
    if (awaited !== undefined) this.#ledger.add(awaited.seq, awaited.parts)
    this.#awaited.delete(id)
  }

  ended(id: number): void {
    this.#awaited.delete(id)
  }
}

/** The body has passed the scrubber, and so has what is taken from it. */
export function lineJson(value: ScrubbedJson): ScrubbedJson | undefined {
  return JSON.stringify(value).length > MAX_LINE_JSON ? undefined : value
}
