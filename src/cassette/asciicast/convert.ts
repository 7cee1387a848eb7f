/**
 * Cassette to cast and back. Output is text in a cast: a character split over two chunks is put together in
 * the second, and bytes that are not UTF-8 become U+FFFD. Answers of the terminal itself are left out: a
 * player has its own.
 */
import type { Scrubber } from '../../scrub/index.ts'
import type { InputRecord } from '../codec/records.ts'
import type { CassetteReader } from '../reader/reader.ts'
import { rfc3339 } from '../recorder/manifest-draft.ts'
import { type RebuildEvent, rebuildCassette, withLooks } from '../recorder/rebuild.ts'
import { checkedSize } from '../terminal/terminal.ts'
import type { Cast, CastEvent } from './model.ts'

export function castFrom(reader: CassetteReader): Cast {
  const { terminal, command, provenance, harness } = reader.manifest()
  const output = new TextDecoder('utf-8', { ignoreBOM: true })
  const typed = new TextDecoder('utf-8', { ignoreBOM: true })
  const events = reader.events().flatMap((event): CastEvent[] => {
    const { tMs } = event
    if (event.kind === 'output')
      return texts('output', tMs, output.decode(reader.outputBytes(event.output), { stream: true }))
    if (event.kind === 'final') {
      const { exit } = event.final
      return [
        ...texts('output', tMs, output.decode()),
        ...(exit === null ? [] : [{ kind: 'exit', tMs, code: exit.code } as const]),
      ]
    }
    if (event.kind !== 'input' || event.input.reply) return []
    const { bytes, size, kind } = event.input
    if (kind === 'resize' && size !== null) return [{ kind: 'resize', tMs, size }]
    return bytes === null ? [] : texts('input', tMs, typed.decode(bytes, { stream: true }))
  })
  const recorded = Date.parse(provenance.recordedAt)
  return {
    size: checkedSize({ rows: terminal.initialRows || 24, cols: terminal.initialCols || 80 }),
    term: terminal.term,
    timestamp: Number.isNaN(recorded) ? null : Math.floor(recorded / 1000),
    title: harness.name,
    command: command.argv.join(' '),
    env: terminal.term === '' ? {} : { TERM: terminal.term },
    events,
  }
}

function texts(kind: 'output' | 'input', tMs: number, text: string): CastEvent[] {
  return text === '' ? [] : [{ kind, tMs, text }]
}

export type ImportOptions = { readonly out: string; readonly force: boolean; readonly scrubber: Scrubber }

/** A cast has no steps of time, so its cassette keeps every millisecond. */
export function importCast(cast: Cast, options: ImportOptions): Promise<string> {
  const events = cast.events.flatMap((event, at): RebuildEvent[] => {
    const stamp = { seq: at + 1, tMs: event.tMs }
    switch (event.kind) {
      case 'output':
        return [{ kind: 'output', ...stamp, bytes: Buffer.from(event.text) }]
      case 'input':
        return [
          { kind: 'input', ...stamp, input: input(stamp, { kind: 'input', bytes: Buffer.from(event.text) }) },
        ]
      case 'resize':
        return [{ kind: 'input', ...stamp, input: input(stamp, { kind: 'resize', size: event.size }) }]
      case 'marker':
        return [
          {
            kind: 'service-event',
            ...stamp,
            serviceEvent: { ...stamp, payload: { type: 'marker', label: event.text } },
          },
        ]
      default:
        return []
    }
  })
  const exit = cast.events.findLast((event) => event.kind === 'exit')
  return rebuildCassette({
    out: options.out,
    force: options.force,
    scrubber: options.scrubber,
    draft: {
      harness: { name: cast.title },
      command: { argv: cast.command === '' ? [] : [cast.command] },
      terminal: {
        initialRows: cast.size.rows,
        initialCols: cast.size.cols,
        term: cast.term,
        ptyMode: { imported: 'asciicast' },
      },
      timing: { resolutionMs: 1 },
      ...(cast.timestamp === null ? {} : { provenance: { recordedAt: rfc3339(cast.timestamp * 1000) } }),
    },
    events: thinned(withLooks(events)),
    final:
      exit?.kind === 'exit' ? { exit: { code: exit.code, signal: '', exited: true, signaled: false } } : {},
    endMs: cast.events.at(-1)?.tMs ?? 0,
  })
}

const FRAME_STEP_MS = 100

/**
 * With a step of one millisecond every event would be a frame of its own: one in a tenth of a second is
 * enough, and the last.
 */
function thinned(events: readonly RebuildEvent[]): readonly RebuildEvent[] {
  let last = Number.NEGATIVE_INFINITY
  const lastLook = events.findLastIndex((event) => event.kind === 'look')
  return events.filter((event, at) => {
    if (event.kind !== 'look') return true
    if (at !== lastLook && event.tMs - last < FRAME_STEP_MS) return false
    last = event.tMs
    return true
  })
}

function input(
  stamp: { readonly seq: number; readonly tMs: number },
  given: Partial<InputRecord>,
): InputRecord {
  return { ...stamp, kind: 'input', bytes: null, key: '', size: null, signal: '', reply: false, ...given }
}
