/**
 * A client's socket in a session, seen from both sides: what its creator does with what the client writes,
 * and what its creator can do to it. stand-in-socket.ts makes one; adopted-socket.ts turns a socket of the
 * program into one.
 */

/** What the creator of a socket does for it. */
export type SocketEnds = {
  /**
   * Bytes that the client sends, copied. Throws what the client is to get as an error. False if the peer is
   * slow: the write is done when `drained` is called.
   */
  write(bytes: Uint8Array): boolean
  /** The client will send no more. */
  end(): void
  /** The client has room for more. */
  wantsMore(): void
  /** The client has let go of it, or it has failed. */
  destroyed(): void
  setRef(ref: boolean): void
  /** The client waits so long for any activity; 0 means no limit. */
  setIdleLimit(ms: number): void
  /** Bytes crossed: the idle time starts anew. */
  activity(): void
  /** Sent on to the real socket. */
  option(name: 'setNoDelay' | 'setKeepAlive', args: readonly unknown[]): void
}

/** What a program can see of an open connection. */
export type ConnectionFacts = {
  readonly remoteAddress?: string
  readonly remoteFamily?: string
  readonly remotePort?: number
  readonly localAddress?: string
  readonly localFamily?: string
  readonly localPort?: number
  /** From the resolver, if it was asked. */
  readonly lookup?: { readonly address: string; readonly family: number; readonly host: string }
  readonly tls?: {
    readonly authorized: boolean
    readonly authorizationError: string | null
    readonly alpnProtocol: string | false | null
    readonly protocol: string | null
    readonly cipher: {
      readonly name: string
      readonly standardName?: string
      readonly version?: string
    } | null
  }
}

/** What the creator of a socket can do to it. */
export type ClientSocket = {
  readonly connecting: boolean
  readonly destroyed: boolean
  readonly writableFinished: boolean
  /** The connection stands: every event that a real one has until then, in their order. */
  connected(facts: ConnectionFacts): void
  /** Gives the client bytes to read. False asks for a pause. */
  receiveBytes(bytes: Uint8Array): boolean
  /** The other side will send no more. */
  receiveEnd(): void
  /** A slow peer has taken what was written. */
  drained(): void
  timedOut(): void
  destroy(error?: Error): void
}
