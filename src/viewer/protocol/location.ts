/**
 * Deep links: what the page shows, as the fragment of its URL. The fragment never reaches a server or a log.
 *
 *     #/                                      the overview of the first item, or the comparison
 *     #/overview/0
 *     #/timeline/0?row=812&from=1200&to=3400&kinds=llm_call,http_exchange&lanes=llm&phase=user_script&text=plan.md
 *     #/compare?at=17 #/terminal/0.12?at=5300 #/audit/0?at=41
 *     #/state/0?session=s1&key=notes/plan.md&version=3-9f86d081884c7d65
 */
import type { Lane, Phase } from './rows.ts'
import { LANES } from './rows.ts'

export type ViewerLocation =
  | { readonly view: 'start' }
  | { readonly view: 'overview'; readonly item: string }
  | {
      readonly view: 'timeline'
      readonly item: string
      readonly row: number | null
      /** The visible range, in milliseconds of the recording. */
      readonly from: number | null
      readonly to: number | null
      readonly kinds: readonly string[]
      readonly lanes: readonly Lane[]
      readonly phase: Phase | null
      readonly text: string
      /** The list shows only the visible range. */
      readonly inRange: boolean
      /** Record numbers, both inclusive. */
      readonly fromRow: number | null
      readonly toRow: number | null
    }
  | { readonly view: 'compare'; readonly at: number | null }
  | { readonly view: 'terminal'; readonly item: string; readonly at: number | null }
  | { readonly view: 'audit'; readonly item: string; readonly at: number | null }
  | {
      readonly view: 'state'
      readonly item: string
      readonly session: string | null
      readonly key: string | null
      readonly version: string | null
    }

export function formatLocation(location: ViewerLocation): string {
  switch (location.view) {
    case 'start':
      return '#/'
    case 'overview':
      return `#/overview/${encodeURIComponent(location.item)}`
    case 'timeline': {
      const { item, row, from, to, kinds, lanes, phase, text, inRange, fromRow, toRow } = location
      return fragment(`timeline/${encodeURIComponent(item)}`, {
        row,
        from,
        to,
        kinds: list(kinds),
        lanes: list(lanes),
        phase,
        text: text || null,
        inRange: inRange ? 1 : null,
        fromRow,
        toRow,
      })
    }
    case 'compare':
      return fragment('compare', { at: location.at })
    case 'terminal':
    case 'audit':
      return fragment(`${location.view}/${encodeURIComponent(location.item)}`, { at: location.at })
    case 'state': {
      const { item, session, key, version } = location
      return fragment(`state/${encodeURIComponent(item)}`, { session, key, version })
    }
  }
}

/** What cannot be understood is left out; an unknown view is the start. */
export function parseLocation(hash: string): ViewerLocation {
  const [path = '', query = ''] = split(hash.replace(/^#\/?/, ''), '?')
  const [view = '', part = ''] = split(path, '/')
  const item = decoded(part) || '0'
  const values = new URLSearchParams(query)
  const at = numberOf(values.get('at'))
  switch (view) {
    case 'overview':
      return { view, item }
    case 'timeline':
      return {
        view,
        item,
        row: numberOf(values.get('row')),
        from: numberOf(values.get('from')),
        to: numberOf(values.get('to')),
        kinds: items(values.get('kinds')),
        lanes: LANES.filter((lane) => items(values.get('lanes')).includes(lane)),
        phase: phaseOf(values.get('phase')),
        text: values.get('text') ?? '',
        inRange: values.get('inRange') === '1',
        fromRow: numberOf(values.get('fromRow')),
        toRow: numberOf(values.get('toRow')),
      }
    case 'compare':
      return { view, at }
    case 'terminal':
    case 'audit':
      return { view, item, at }
    case 'state':
      return {
        view,
        item,
        session: values.get('session'),
        key: values.get('key'),
        version: values.get('version'),
      }
    default:
      return { view: 'start' }
  }
}

function fragment(path: string, values: Readonly<Record<string, string | number | null>>): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(values)) if (value !== null) query.set(name, String(value))
  const text = query.toString()
  return text === '' ? `#/${path}` : `#/${path}?${text}`
}

function split(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator)
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)]
}

function list(names: readonly string[]): string | null {
  return names.length === 0 ? null : names.join(',')
}

function items(text: string | null): readonly string[] {
  return text === null || text === '' ? [] : text.split(',')
}

function numberOf(text: string | null): number | null {
  const value = text === null || text === '' ? Number.NaN : Number(text)
  return Number.isFinite(value) ? value : null
}

function phaseOf(text: string | null): Phase | null {
  return text === 'user_script' || text === 'runtime_finalize' ? text : null
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch (error) {
    if (error instanceof URIError) return ''
    throw error
  }
}
