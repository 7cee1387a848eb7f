/**
 * A client's socket in a session, seen from both sides: what its creator does with the client's bytes, and
 * what its creator can do to the socket. stand-in-socket.ts creates one; adopted-socket.ts turns a socket of
 * the program into one.
 */

/** What the creator of a socket does for it. */
export type SocketEnds = {
  /**
   * Bytes that the client sends, copied. Throws the error for the client. Returns false if the peer is slow:
   * the write completes when `drained` is called.
   */
  write(bytes: Uint8Array): boolean
  /** The client will send no more. */
  end(): void
  /** The client has room for more. */
  wantsMore(): void
  /** The client has released it, or it has failed. `isReset`: by `resetAndDestroy`. */
  destroyed(isReset: boolean): void
  setRef(ref: boolean): void
  /** The client waits this long for any activity; 0 means no limit. */
  setIdleLimit(ms: number): void
  /** Bytes crossed: the idle time starts again. */
  activity(): void
  /** The program makes TLS itself of the bytes. */
  ownTls?(): void
  /** Passed on to the real socket. */
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
  /** From the resolver, if it was called. */
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
  /** The connection is open: emits every event that a real socket has emitted by then, in order. */
  connected(facts: ConnectionFacts): void
  /** Passes bytes to the client. False requests a pause. */
  receiveBytes(bytes: Uint8Array): boolean
  /** The other side will send no more. */
  receiveEnd(): void
  /** A slow peer has read the written bytes. */
  drained(): void
  timedOut(): void
  destroy(error?: Error): void
}
