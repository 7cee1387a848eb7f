/**
 * The parts of a JSON object or list as the text that each is, so that a part can be taken out, left out or
 * put elsewhere and every number keeps its spelling. Throws a JsonScanError for what is not JSON or is nested
 * too deep.
 */
import { scanWholeJson } from './json-scan.ts'

/**
 * Names and values of an object, in order, repeated names included; null if the text is another JSON value.
 */
export function jsonMembers(text: string): readonly (readonly [name: string, text: string])[] | null {
  const parts = partsOf(text)
  return parts.type === 'object' ? parts.members : null
}

/** The items of a list, or null if the text is another JSON value. */
export function jsonItems(text: string): readonly string[] | null {
  const parts = partsOf(text)
  return parts.type === 'list' ? parts.members.map(([, item]) => item) : null
}

/** As a reader of JSON sees it: where a name repeats, its last value. Undefined without such a member. */
export function jsonMember(text: string, name: string): string | undefined {
  return jsonMembers(text)?.findLast(([known]) => known === name)?.[1]
}

/** The same object without these members. A text that is no object is given back as it is. */
export function withoutMembers(text: string, names: readonly string[]): string {
  const members = jsonMembers(text)
  if (members === null) return text
  return jsonObjectText(members.filter(([name]) => !names.includes(name)))
}

export function jsonObjectText(members: readonly (readonly [name: string, text: string])[]): string {
  return `{${members.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(',')}}`
}

type Parts = {
  readonly type: 'object' | 'list' | 'scalar'
  readonly members: readonly (readonly [name: string, text: string])[]
}

function partsOf(text: string): Parts {
  const members: (readonly [string, string])[] = []
  let type: Parts['type'] = 'scalar'
  let name = ''
  let start = -1
  scanWholeJson(text, (token) => {
    if (token.depth === 0) {
      if (token.type === 'open-object') type = 'object'
      if (token.type === 'open-array') type = 'list'
      return
    }
    if (token.depth !== 1) return
    if (token.type === 'key') name = JSON.parse(text.slice(token.start, token.end))
    else if (token.type === 'open-object' || token.type === 'open-array') start = token.start
    else {
      members.push([name, text.slice(start < 0 ? token.start : start, token.end)])
      start = -1
    }
  })
  return { type, members }
}
