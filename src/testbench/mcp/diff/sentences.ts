/** A change of a server as one line for a person. */
import type { Json } from '../../../base/index.ts'
import type { McpChange } from './change.ts'

const MAX_VALUE_CHARS = 120
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
      return `${what}: ${path} changed: ${shown(before)} -> ${shown(after)}${mark}`
  }
}

function shown(value: Json): string {
  const text = JSON.stringify(value)
  return text.length > MAX_VALUE_CHARS ? `${text.slice(0, MAX_VALUE_CHARS)}…` : text
}
