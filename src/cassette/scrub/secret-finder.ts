/**
 * What the terminal scrubber needs from the rules: where a text contains secrets, and from where on more text
 * could change that.
 *
 * Decision 0062.
 */
type SecretSpan = { readonly start: number; readonly end: number; readonly kind: string }

export type FoundSecrets = {
  /** In order, apart from each other. */
  readonly spans: readonly SecretSpan[]
  /** From here on nothing is certain until more text comes. */
  readonly certain: number
}

export type SecretFinder = {
  /** With `final` the text is whole, and everything in it is certain. */
  find(text: string, final: boolean): FoundSecrets
  /** False if nothing could be found within these bytes: much cheaper than `find`. */
  mayHold(bytes: Uint8Array): boolean
  /** Counts a secret that was masked. */
  note(kind: string, secret: string, place: string): void
}

/**
 * The mask that replaces a secret, one character per column: a program that paints part of a line again gives
 * the same picture.
 */
export const MASK = 0x2a
