/** A change of a server as one line for a person. */
import type { Json } from '../../../base/index.ts'
import type { McpChange } from './change.ts'

const MAX_VALUE_CHARS = 120
const CONTEXT_CHARS = 30
const AREA_WORDS: { readonly [area in McpChange['area']]: string } = {
  server: 'server',
  capability: 'capability',
  tool: 'tool',
  prompt: 'prompt',
  resource: 'resource',
  resource_template: 'resource template',
  answer: 'answer to',
}

export function changeSentence({ area, name, change, path, before, after, breaking }: McpChange): string {
  const what = [AREA_WORDS[area], name].filter((word) => word !== null).join(' ')
  const mark = breaking ? ' [breaking]' : ''
  if (path === null) return `${what} ${change}${change === 'renamed' ? ` to ${String(after)}` : ''}${mark}`
  switch (change) {
    case 'added':
      return `${what}: ${path} added: ${shown(after)}${mark}`
    case 'removed':
      return `${what}: ${path} removed: ${shown(before)}${mark}`
    case 'renamed':
    case 'changed':
      return `${what}: ${path} changed: ${changedValues(JSON.stringify(before), JSON.stringify(after))}${mark}`
  }
}

function shown(value: Json): string {
  const text = JSON.stringify(value)
  return text.length > MAX_VALUE_CHARS ? `${text.slice(0, MAX_VALUE_CHARS)}…` : text
}

/** Long values are shown from a little before their first difference. */
function changedValues(before: string, after: string): string {
  let same = 0
  while (same < before.length && before[same] === after[same]) same += 1
  const from =
    Math.max(before.length, after.length) > MAX_VALUE_CHARS && same > CONTEXT_CHARS ? same - CONTEXT_CHARS : 0
  const part = (text: string): string => {
    const end = from + MAX_VALUE_CHARS
    return `${from > 0 ? '…' : ''}${text.slice(from, end)}${text.length > end ? '…' : ''}`
  }
  return `${part(before)} -> ${part(after)}`
}
