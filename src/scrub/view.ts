/**
 * A text with one encoding decoded, and its offsets in the original: a match in the view is replaced in the
 * original.
 */
export type View = {
  readonly text: string
  /** False while more of the view may follow. */
  readonly final: boolean
  /** Where in the original a match that begins at `at` begins. */
  start(at: number): number
  /** Where in the original a match that ends before `at` ends. */
  end(at: number): number
  /** The first offset in the original that contributes to the character at `at`. */
  from(at: number): number
}

/**
 * A view in which every character stems from a stretch of the original; `offsets` has one more entry, for the
 * end.
 */
export function offsetView(text: string, offsets: Uint32Array, final: boolean): View {
  const at = (index: number): number => offsets[index] ?? offsets[offsets.length - 1] ?? 0
  return { text, final, start: at, end: at, from: at }
}
