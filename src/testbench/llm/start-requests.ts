/**
 * The form of a call's body in `effect_start`: the whole request, or its difference, such that printing the
 * rebuilt value gives exactly the bytes that were sent. If that is not possible, or too long for a line, the
 * body is left out and the exchange contains the bytes.
 *
 * A recording and the tape of a replay both use this code, so that equal runs write equal records.
 */
import type { RecognisedCall } from '../../llm/recognise.ts'
import type { ScrubbedJson } from '../../scrub/index.ts'
import { RequestLedger, type RequestParts } from './request-ledger.ts'

/** A request, or its difference, that is larger than this does not go into a line. */
const MAX_LINE_JSON = 1024 * 1024

export class StartRequests {
  readonly #ledger = new RequestLedger()
  /** Calls whose body comes with their exchange. */
  readonly #awaited = new Map<number, { readonly seq: number; readonly parts: RequestParts }>()

  lineOf(call: RecognisedCall, parts: RequestParts): ScrubbedJson | undefined {
    return call.isCompact ? lineJson(this.#ledger.difference(parts) ?? call.body) : undefined
  }

  /** `effect_start` of effect `id` is record `seq`, and contained `line`. */
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

  /** The exchange is on the tape: from now on a difference may refer to its body. */
  answered(id: number): void {
    const awaited = this.#awaited.get(id)
    if (awaited !== undefined) this.#ledger.add(awaited.seq, awaited.parts)
    this.#awaited.delete(id)
  }

  ended(id: number): void {
    this.#awaited.delete(id)
  }
}

/** The body has passed the scrubber, and so have the parts taken from it. */
export function lineJson(value: ScrubbedJson): ScrubbedJson | undefined {
  return JSON.stringify(value).length > MAX_LINE_JSON ? undefined : value
}
