/** Where a key of a session stands on a tape. */
export function pathOf(session: string, key: string): string {
  return `agent-state:${session}/${key}`
}
