/**
 * One message of a client, with its answer if it has one: an entry of an MCP cassette; on a tape an
 * `mcp_json_rpc` or `mcp_message`. Messages are kept as text.
 */
export type McpInteraction = {
  /** Null if nothing names the server. */
  readonly server: string | null
  readonly method: string
  readonly notification: boolean
  /** The message of the client; with its id if it is known. */
  readonly request: string
  /** Null for a notification. */
  readonly response: string | null
  readonly latencyMs: number
}
