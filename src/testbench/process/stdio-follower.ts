/**
 * The interface for a protocol over the stdin and stdout of a subprocess. Bytes are always scrubbed, in the
 * order in which they cross, and split anywhere: a follower finds its own lines.
 *
 * While recording a follower only observes, and may add its own records to those of the subprocess
 * (`recorder.record` of a kind that the gate does not deliver). In a replay it replaces the comparison of
 * stdin, byte for byte, and may change what the program receives on stdout. A follower that does not
 * recognise the protocol passes everything on to the `SentBytes` that it gets.
 *
 * To add one: a row in `stdio-followers.ts`. Each is called for every subprocess that has both pipes.
 */
import type { ChildStart } from '../../boundaries/child-contract.ts'
import type { ScrubbedBytes, Scrubber } from '../../scrub/index.ts'
import type { TapeRecorder } from '../../tape/index.ts'
import type { RecordedServer } from '../mcp/sent-messages.ts'
import type { Difference, SentBytes } from '../session/sent-bytes.ts'

export type RecordFollower = {
  /**
   * Bytes on their way to the child, as stored on the tape, once their record is written; `atMs` is the time
   * of the run.
   */
  sent(bytes: ScrubbedBytes, atMs: number): void
  /** The same for bytes from the child's stdout. */
  received(bytes: ScrubbedBytes, atMs: number): void
  /** The child and its streams have ended; or the program wants no more of it. */
  ended(): void
}

export type RecordFollowing = {
  /** The number of the effect. */
  readonly id: number
  readonly child: ChildStart
  readonly recorder: TapeRecorder
  readonly scrubber: Scrubber
}

export type ReplayFollower = {
  /**
   * The program has written this. Returns the difference from the recording, if it is certain by now. `raw`
   * is the unscrubbed text.
   */
  live(bytes: Uint8Array, raw: Uint8Array): Difference | null
  /** The recording has this at the current position of the tape. */
  recorded(bytes: Uint8Array): Difference | null
  /**
   * True while the recording had written more at this position than the program has: output that answers it
   * must wait.
   */
  isBehind(): boolean
  /**
   * The program has left its tape and does not send what it is behind with: answers to that are not delivered.
   * True if it is not behind any more.
   */
  skip?(): boolean
  /** At the end: what one of the two has more than the other. */
  leftover(): Difference | null
  /** What the program receives for these bytes of the recorded stdout. */
  received(bytes: Uint8Array): Uint8Array
  /** The bytes of the last `received` as recorded, without the answers that are not delivered. */
  kept?(): Uint8Array
  /** What the program has sent since the last call, with the ids and in the order of the recording. */
  sentAsRecorded?(): Uint8Array
  /** The held part of it when stdout ends. */
  rest?(): Uint8Array
}

export type ReplayFollowing = {
  /** As it was recorded. */
  readonly child: ChildStart
  readonly bytes: SentBytes
  /** The MCP messages that were sent to it, if it is a server. */
  readonly mcp: RecordedServer | null
}

export function followsStdio({ stdio }: ChildStart): boolean {
  return stdio[0] === 'pipe' && stdio[1] === 'pipe'
}
