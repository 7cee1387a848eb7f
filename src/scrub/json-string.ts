/**
 * The text that a JSON string stands for, with the offset in its source of every character: so that a span of
 * the one can be replaced in the other.
 */

export type DecodedString = {
  readonly text: string
  /** Source offset of a character, or of the end. */
  at(index: number): number
}

/** `raw` is what stands between the quotes, already known to be well formed. */
export function decodeJsonString(raw: string): DecodedString {
  if (!raw.includes('\\')) return { text: raw, at: (index) => index }
  const text = JSON.parse(`"${raw}"`) as string
  const offsets = new Uint32Array(text.length + 1)
  let source = 0
  for (let index = 0; index < text.length; index += 1) {
    offsets[index] = source
    source += raw[source] !== '\\' ? 1 : raw[source + 1] === 'u' ? 6 : 2
  }
  offsets[text.length] = raw.length
  return { text, at: (index) => offsets[index] ?? raw.length }
}
