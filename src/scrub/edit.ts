/** A replacement of one span of a text. Lists of edits are sorted and do not overlap. */
export type Edit = { readonly start: number; readonly end: number; readonly text: string }

export function applyEdits(text: string, edits: readonly Edit[]): string {
  if (edits.length === 0) return text
  const parts: string[] = []
  let done = 0
  for (const edit of edits) {
    parts.push(text.slice(done, edit.start), edit.text)
    done = edit.end
  }
  parts.push(text.slice(done))
  return parts.join('')
}
