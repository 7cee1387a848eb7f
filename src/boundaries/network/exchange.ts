/**
 * One request over a connection and the state of its response, on both sides of the gate. Plain state;
 * client-exchanges.ts and live-connection.ts change it.
 */
import type { Effect, ErrorFacts, Outcome } from '../session.ts'
import type { RequestHead } from './http-heads.ts'
import type { Framing } from './message-parser.ts'
import type { PendingBody } from './pending-body.ts'

export type Exchange = {
  readonly head: RequestHead
  readonly url: string
  /** The part of the body that was sent. */
  readonly body: PendingBody
  /** The client waits until the peer has read what it has sent so far. */
  drain: Effect | null
  /** How much it has sent since it last waited. */
  waitingBytes: number
  /** Null until the request is whole, or answered before it is. */
  effect: Effect | null
  /** Outcomes that arrived before there was an effect. */
  readonly early: Outcome[]
  /** What arrived on the connection after those. */
  readonly afterwards: Outcome[]
  /** The real side has delivered its last outcome for it. */
  answered: boolean
  /** How the response is framed for the client, and how many bytes of a counted body are missing. */
  framing: Framing
  toCome: number
  /** The client has the whole response: only the record of its end is missing. */
  whole: boolean
}

export function newExchange(head: RequestHead, url: string, body: PendingBody): Exchange {
  return {
    head,
    url,
    body,
    drain: null,
    waitingBytes: 0,
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
 * The other side closed the connection in the middle: the client gets an end, not an error, and makes its own
 * error of it.
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
