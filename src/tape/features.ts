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
  /**
   * What a fork or a what-if refused is part of the run: a `divergence` with `of` or `refused` is refused
   * again. Only tapes of forks and what-ifs have it.
   */
  refusals: 13,
} as const

export function hasFeature(
  header: { readonly features?: readonly number[] },
  feature: keyof typeof features,
): boolean {
  return header.features?.includes(features[feature]) === true
}

/** Those of a tape that is written now. */
export const currentFeatures: readonly number[] = Object.values(features).filter(
  (feature) => feature !== features.refusals,
)
