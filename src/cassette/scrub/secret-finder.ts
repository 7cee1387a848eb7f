/** What the terminal scrubber asks of the rules: where secrets stand in a text, and from where on more text could change that. */
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

/** What stands where a secret stood, one per column: a program that paints part of a line again gives the same picture. */
export const MASK = 0x2a
