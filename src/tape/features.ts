/** Numbered behaviours of a tape, in its header: what a replay must know to judge it rightly. A number is never given out twice. */

export const features = {
  /** Modes, flags and other options are part of what a file call is known by, and are told of a subprocess. Without it they count as not known. */
  optionsCount: 1,
  /** The order of chunks in `process_spawn` counts scrubbed bytes. Without it, it counts the bytes before they were scrubbed. */
  scrubbedOrder: 2,
} as const

export function hasFeature(header: { readonly features?: readonly number[] }, feature: keyof typeof features): boolean {
  return header.features?.includes(features[feature]) === true
}

/** Those of a tape that is written now. */
export const currentFeatures: readonly number[] = Object.values(features)
