/**
 * Numbered behaviours of a tape, in its header: what a replay must know to judge it rightly. A number is
 * never given out twice.
 */

export const features = {
  /**
   * Modes, flags and other options are part of a file call's match key, and are recorded for a subprocess.
   * Without it they count as not known.
   */
  optionsCount: 1,
  /**
   * The order of chunks in `process_spawn` counts scrubbed bytes. Without it, it counts the bytes before they
   * were scrubbed.
   */
  scrubbedOrder: 2,
  /** The end of a sleep is a `clock_sleep`. Without it, it is a `timer_fire` as for any other timer. */
  sleeps: 3,
  /**
   * Records of `exit` handlers and after the program's end have the phase `runtime_finalize`. Without it,
   * `user_script`.
   */
  finalizePhase: 4,
  /**
   * Asynchronous calls about files that are not on the tape have a `completion`. Without it they have no
   * place in the order.
   */
  orderedFileCalls: 5,
  /**
   * `timeout`, `killSignal` and `maxBuffer` of `spawnSync` are recorded where the program sets them. Without
   * it they count as not known.
   */
  childLimits: 6,
  /**
   * A call of `module.register`, whose hooks run on a thread, is a note. Without it nothing is known of hooks.
   */
  notedHooks: 7,
  /** Connections in other protocols than HTTP/1 are recorded as bytes. Without it they are gaps. */
  byteStreams: 9,
  /** Connections that become WebSockets are recorded as messages. Without it they are bytes, or gaps. */
  webSockets: 10,
  /** Questions to the resolver (`node:dns`) are recorded. Without it they are gaps. */
  resolver: 16,
  /** Calls of a model over a WebSocket have an `llm_call`. Without it they have none. */
  socketCalls: 17,
  /**
   * A request body above 4 MiB (32 MiB if it may be JSON) has the hash of its scrubbed bytes in its key. Without
   * it, that of its canonical form, whatever its size.
   */
  largeBodies: 12,
  /** Connections of HTTP/2 are recorded as frames. Without it they are gaps. */
  http2: 15,
  /**
   * What a fork or a what-if refused is part of the run: a `divergence` with `of` or `refused` is refused
   * again. Only tapes of forks and what-ifs have it.
   */
  refusals: 13,
  /**
   * The order of calls that are answered at once, and of reads, counts in a replay. Without it, calls and reads
   * of one turn may change places.
   */
  orderedCalls: 14,
  /**
   * A connection keeps the effect of `socket.setTimeout`, and starts another one only for another time. Without
   * it, each call is an effect of its own.
   */
  keptIdleLimits: 20,
  /**
   * A variable or fact that the recorded run never read is not known: reading it is a divergence. Without it,
   * it is tolerated.
   */
  knownNames: 25,
  /**
   * A read of a file that does not go on where the last one ended has its position in its match key. Without
   * it, positions count as not known.
   */
  readPositions: 26,
  /**
   * What a client of MQTT sends over a WebSocket has a `ws_message` for each packet. Without it, for each
   * message.
   */
  mqttPackets: 30,
  /**
   * WebSockets to a server of the program have a `ws_message` for each message in both directions. Without it
   * they are bytes.
   */
  servedMessages: 31,
  /**
   * A server that writes more than its client reads waits for a `completion` of the connection. Without it, it
   * never waits.
   */
  servedWaits: 40,
  /**
   * A copy (`cp`) to a file that is not captured leaves no record of its own steps, and has a position.
   * Without it, steps about captured files are records.
   */
  wholeCopies: 41,
  /**
   * A subprocess has the names of the variables that it does not inherit (`env_without`), or of the only ones
   * that it inherits (`env_only`). Without it they count as not known.
   */
  inheritedNames: 27,
  /**
   * A terminal has how it is started (`request`): the variables that the program set or withholds, the name of
   * the terminal, its owner. Without it they count as not known.
   */
  terminalStarts: 32,
  /**
   * Exchanges of `fetch` are recorded at their connections only if undici itself has opened one before the
   * first `fetch`. Without it, if any client has.
   */
  gatedFetch: 28,
  /**
   * Signatures, their failures, and the sorts of private keys are recorded. Without it they are computed in a
   * replay too, or are gaps.
   */
  signatures: 35,
  /**
   * Chunks of an answer that come in one turn share a record, which has their lengths (`parts`). Without it, each
   * has its own.
   */
  sharedChunks: 49,
  /**
   * Chunks of server-sent events have them as JSON values (`events`), and up to 16 KiB share a record. Without
   * it, they are text, and up to 4096 bytes share a record.
   */
  eventChunks: 56,
  /**
   * The placeholder of a private key shows its form, and a replay gives the program a text of that form. Without
   * it, the program gets the placeholder.
   */
  keyForms: 46,
  /**
   * A session of the library has a dispatcher of its own for Node's undici. Without it, it uses that of the
   * process, with its open connections.
   */
  freshDispatchers: 53,
  /** The masks of Node's own WebSocket are not recorded. Without it, they are random values of the program. */
  ownMasks: 54,
  /**
   * A request to a server of the program has the secrets that the program itself has sent: its cookies and tokens.
   * Without it, it has their placeholders.
   */
  issuedSecrets: 58,
  /**
   * The payload of a `file_write` that appended to a file has the appended part alone, if a record before it has the
   * rest. Without it, it has the whole content.
   */
  appendedParts: 60,
  /**
   * What a program computes from a secret when a connection opens is a login of that connection. Without it, of
   * the connection in answer to which it was opened.
   */
  openedLogins: 61,
  /**
   * SIGINT, SIGTERM or SIGHUP that a program without a listener for it sends to itself ends it at once. Without it, in
   * a later turn.
   */
  ownSignals: 68,
  /**
   * The lengths around a secret in a message of BER (LDAP) do not count in what a connection sends. Without it, they
   * do.
   */
  berLengths: 76,
  /**
   * A signal to a process whose pid is given as text is on the tape. Without it, a replay asks the machine whether there
   * is such a process, and refuses any signal.
   */
  textPids: 80,
  /**
   * Paths in the header have the names `$ROOT`, `$HOME` and `$TMP`, and the seal has the folders. Without it,
   * they are absolute. Only recordings have it.
   */
  rootNames: 19,
} as const

export function hasFeature(
  header: { readonly features?: readonly number[] },
  feature: keyof typeof features,
): boolean {
  return header.features?.includes(features[feature]) === true
}

export function isFeature(number: number): boolean {
  return Object.values<number>(features).includes(number)
}

/** Those of a tape that is written now; a recording adds `rootNames`. */
export const currentFeatures: readonly number[] = Object.values(features).filter(
  (feature) => feature !== features.refusals && feature !== features.rootNames,
)
