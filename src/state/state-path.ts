/** The path of a session's key on a tape. */
export function pathOf(session: string, key: string): string {
  return `agent-state:${session}/${key}`
}
