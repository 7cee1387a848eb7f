/**
 * One request over a connection and what is known of its answer, on both sides of the gate. Plain state;
 * connection.ts and world-connection.ts change it.
 */
import type { Effect, ErrorFacts, Outcome } from '../session.ts'
import type { RequestHead } from './http-heads.ts'
import type { Framing } from './message-parser.ts'

export type Exchange = {
  readonly head: RequestHead
  readonly url: string
  /** What has been sent of the body. */
  readonly body: Uint8Array[]
  /** Null until the request is whole, or answered before it is. */
  effect: Effect | null
  /** Outcomes that came before there was an effect. */
  readonly early: Outcome[]
  /** What the connection said after those. */
  readonly afterwards: Outcome[]
  /** The world has said its last word on it. */
  answered: boolean
  /** How the answer is framed for the client, and how much of a counted body it has not had. */
  framing: Framing
  toCome: number
  /** The client has all of the answer: only the record of its end is to come. */
  whole: boolean
}

export function newExchange(head: RequestHead, url: string): Exchange {
  return {
    head,
    url,
    body: [],
    effect: null,
    early: [],
    afterwards: [],
    answered: false,
    framing: { type: 'none' },
    toCome: 0,
    whole: false,
  }
}

/**
 * The other side closed the connection in the middle: the client is given an end, not an error, and finds its
 * own words for it.
 */
export function closedByPeer(answerBegun: boolean): ErrorFacts {
  return {
    constructorName: 'Error',
    name: 'Error',
    message: answerBegun ? 'aborted' : 'socket hang up',
    code: 'ECONNRESET',
    properties: { closed_by_peer: true },
  }
}

export function isClosedByPeer(error: ErrorFacts): boolean {
  return error.properties?.closed_by_peer === true
}
