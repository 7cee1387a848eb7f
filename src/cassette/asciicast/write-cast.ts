/**
 * A cast as text: version 2 (absolute times, for Debian's asciinema) or version 3 (intervals and an exit
 * event). Intervals are differences of absolute milliseconds, so no rounding error adds up.
 */
import type { Cast, CastEvent } from './model.ts'

export type CastVersion = 2 | 3

export function writeCast(cast: Cast, version: CastVersion): string {
  const common = {
    ...(cast.timestamp === null ? {} : { timestamp: cast.timestamp }),
    ...(cast.command === '' ? {} : { command: cast.command }),
    ...(cast.title === '' ? {} : { title: cast.title }),
    ...(Object.keys(cast.env).length === 0 ? {} : { env: cast.env }),
  }
  const { rows, cols } = cast.size
  const term = { cols, rows, ...(cast.term === '' ? {} : { type: cast.term }) }
  const header =
    version === 2 ? { version, width: cols, height: rows, ...common } : { version, term, ...common }
  let before = 0
  const lines = cast.events.flatMap((event) => {
    const body = eventBody(event, version)
    if (body === null) return []
    const time = version === 2 ? event.tMs : event.tMs - before
    before = event.tMs
    return [`[${(time / 1000).toFixed(3)}, ${JSON.stringify(body[0])}, ${JSON.stringify(body[1])}]`]
  })
  return `${[JSON.stringify(header), ...lines].join('\n')}\n`
}

function eventBody(event: CastEvent, version: CastVersion): readonly [string, string] | null {
  switch (event.kind) {
    case 'output':
      return ['o', event.text]
    case 'input':
      return ['i', event.text]
    case 'marker':
      return ['m', event.text]
    case 'resize':
      return ['r', `${event.size.cols}x${event.size.rows}`]
    case 'exit':
      return version === 3 ? ['x', String(event.code)] : null
  }
}
