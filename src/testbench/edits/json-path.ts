/**
 * Replaces one value in JSON text, by path: `$.choices[0].message.content`. The rest of the text stays as it
 * is, byte for byte: numbers and blanks keep their spelling.
 *
 * Only names and indexes: no wildcards, no filters.
 */

export type PathStep = string | number

/** Null if the text is not a path. */
export function parsePath(text: string): readonly PathStep[] | null {
  if (!text.startsWith('$')) return null
  const steps: PathStep[] = []
  const step = /\.([A-Za-z_$][\w$-]*)|\[(\d{1,9})\]|\[("(?:[^"\\]|\\.)*")\]|\['([^'\\]*)'\]/y
  step.lastIndex = 1
  while (step.lastIndex < text.length) {
    const found = step.exec(text)
    if (found === null) return null
    const [, name, index, quoted, plain] = found
    if (index !== undefined) steps.push(Number(index))
    else if (quoted !== undefined) {
      const parsed = textOf(quoted)
      if (parsed === null) return null
      steps.push(parsed)
    } else steps.push(name ?? plain ?? '')
  }
  return steps
}

/**
 * The text with this value in the place of the one at the path. The last name may be new in its object. Null
 * if the path leads nowhere.
 */
export function withValueAt(text: string, path: readonly PathStep[], value: string): string | null {
  let span = spanAt(text, skipBlanks(text, 0))
  for (const [at, step] of path.entries()) {
    const inner = typeof step === 'number' ? itemAt(text, span, step) : memberAt(text, span, step)
    if (inner === null) {
      const isNew = at === path.length - 1 && typeof step === 'string' && text[span.start] === '{'
      return isNew ? withMember(text, span, step, value) : null
    }
    span = inner
  }
  return text.slice(0, span.start) + value + text.slice(span.end)
}

type Span = { readonly start: number; readonly end: number }

function withMember(text: string, { start, end }: Span, name: string, value: string): string {
  const isEmpty = skipBlanks(text, start + 1) === end - 1
  const member = `${isEmpty ? '' : ','}${JSON.stringify(name)}:${value}`
  return text.slice(0, end - 1) + member + text.slice(end - 1)
}

/** The last member of this name, as a parser takes it. */
function memberAt(text: string, { start, end }: Span, name: string): Span | null {
  if (text[start] !== '{') return null
  let found: Span | null = null
  let at = skipBlanks(text, start + 1)
  while (at < end - 1) {
    const key = spanAt(text, at)
    const value = spanAt(text, skipBlanks(text, skipBlanks(text, key.end) + 1))
    if (textOf(text.slice(key.start, key.end)) === name) found = value
    at = skipBlanks(text, skipBlanks(text, value.end) + 1)
  }
  return found
}

function itemAt(text: string, { start, end }: Span, index: number): Span | null {
  if (text[start] !== '[') return null
  let at = skipBlanks(text, start + 1)
  for (let n = 0; at < end - 1; n += 1) {
    const value = spanAt(text, at)
    if (n === index) return value
    at = skipBlanks(text, skipBlanks(text, value.end) + 1)
  }
  return null
}

/** The value that begins at `start`. The text is JSON: the caller has parsed it. */
function spanAt(text: string, start: number): Span {
  const first = text[start]
  if (first === '"') return { start, end: endOfText(text, start) }
  if (first !== '{' && first !== '[') {
    let end = start
    while (end < text.length && !/[\s,\]}]/.test(text.charAt(end))) end += 1
    return { start, end }
  }
  let depth = 0
  for (let at = start; at < text.length; at += 1) {
    const char = text[at]
    if (char === '"') at = endOfText(text, at) - 1
    else if (char === '{' || char === '[') depth += 1
    else if (char === '}' || char === ']') {
      depth -= 1
      if (depth === 0) return { start, end: at + 1 }
    }
  }
  return { start, end: text.length }
}

function endOfText(text: string, start: number): number {
  let at = start + 1
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1
  return at + 1
}

function skipBlanks(text: string, from: number): number {
  let at = from
  while (at < text.length && /\s/.test(text.charAt(at))) at += 1
  return at
}

function textOf(json: string): string | null {
  try {
    const value: unknown = JSON.parse(json)
    return typeof value === 'string' ? value : null
  } catch {
    // Not a JSON string: it names nothing.
    return null
  }
}
