/**
 * The seam for a protocol that is spoken over the stdin and stdout of a subprocess. Bytes are always
 * scrubbed, in the order in which they cross, and cut anywhere: a follower looks for its own lines.
 *
 * While recording a follower only watches, and may add its own records to those of the subprocess
 * (`recorder.record` of a kind that the gate does not deliver). In a replay it replaces the
 * comparison of stdin, byte for byte, and may change what the program is given on stdout; one that does not
 * know what it sees hands everything on to `SentBytes`, which it is given.
 *
 * To add one: a row in `stdio-followers.ts`. Each is called for every subprocess that has both pipes.
 */
import type { ChildStart } from '../../boundaries/session.ts'
import type { ScrubbedBytes, Scrubber } from '../../scrub/index.ts'
import type { TapeRecorder } from '../../tape/index.ts'
import type { RecordedServer } from '../mcp/sent-messages.ts'
import type { Difference, SentBytes } from '../session/sent-bytes.ts'

export type RecordFollower = {
  /**
   * On their way to the child, as stored on the tape, once their record is written; `atMs` is the time of
   * the run.
   */
  sent(bytes: ScrubbedBytes, atMs: number): void
  /** From the child's stdout, likewise. */
  received(bytes: ScrubbedBytes, atMs: number): void
  /** The child has ended, and so have its streams; or the program wants no more of it. */
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
   * The program has written this. Gives what differs from the recording, if that is certain by now. `raw` is
   * what it wrote before scrubbing.
   */
  live(bytes: Uint8Array, raw: Uint8Array): Difference | null
  /** The recording has this at the place where the tape is now. */
  recorded(bytes: Uint8Array): Difference | null
  /**
   * True while the recording had written more at this place than the program has: output that answers it must
   * wait.
   */
  isBehind(): boolean
  /** At the end: what one of the two has more than the other. */
  leftover(): Difference | null
  /** What the program is given for these bytes of the recorded stdout. */
  received(bytes: Uint8Array): Uint8Array
  /** What the program has sent since the last call, under the ids and in the order of the recording. */
  sentAsRecorded?(): Uint8Array
  /** What it has held back of that when stdout ends. */
  rest?(): Uint8Array
}

export type ReplayFollowing = {
  /** As it was recorded. */
  readonly child: ChildStart
  readonly bytes: SentBytes
  /** What MCP was sent to it, if that is what it was sent. */
  readonly mcp: RecordedServer | null
}

export function followsStdio({ stdio }: ChildStart): boolean {
  return stdio[0] === 'pipe' && stdio[1] === 'pipe'
}
