/**
 * The decoded text of a JSON string, with the source offset of every character, so that a span of the decoded
 * text can be replaced in the source.
 */

export type DecodedString = {
  readonly text: string
  /** Source offset of a character, or of the end. */
  at(index: number): number
}

/** `raw` is the text between the quotes. It must be well formed. */
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
