/**
 * Every protocol that is followed over the pipes of a subprocess: one row for recording, one for replaying.
 */
import { followMcpServer } from './mcp-recorder.ts'
import { replayMcpServer } from './mcp-replay.ts'
import type { RecordFollower, RecordFollowing, ReplayFollower, ReplayFollowing } from './stdio-follower.ts'

export const recordFollowers: readonly ((following: RecordFollowing) => RecordFollower | null)[] = [
  followMcpServer,
]

export const replayFollowers: readonly ((following: ReplayFollowing) => ReplayFollower | null)[] = [
  ({ mcp }) => (mcp === null ? null : replayMcpServer(mcp)),
]
