/**
 * One message of a client, with the answer if it has one: what an MCP cassette is a list of, and what a tape
 * holds as `mcp_json_rpc` and `mcp_message`. Messages are kept as text.
 */
export type McpInteraction = {
  /** Null where nothing names the server. */
  readonly server: string | null
  readonly method: string
  readonly notification: boolean
  /** The message of the client; with its id where it is known. */
  readonly request: string
  /** Null for a notification. */
  readonly response: string | null
  readonly latencyMs: number
}
