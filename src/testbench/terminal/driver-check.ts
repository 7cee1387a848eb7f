/**
 * Compares what a program does to a terminal with the recording. Pure; after the first difference it stops.
 */
import type { TerminalAction } from '../../boundaries/session.ts'
import type { InputRecord } from '../../cassette/codec/records.ts'
import { MASK } from '../../cassette/scrub/secret-finder.ts'

/** In words. */
type Difference = { readonly did: string; readonly wanted: string }

export type DriverCheck = {
  did(action: TerminalAction): Difference | null
  /** What comes next in the recording, in words, or null at its end. */
  left(): string | null
}

const MAX_SHOWN = 60

export function createDriverCheck(inputs: readonly InputRecord[]): DriverCheck {
  // The program did not send an answer of the recorder's own emulator.
  const wanted = inputs.filter(({ reply }) => !reply)
  let at = 0
  /** Bytes of the input at `at` that have been typed already. */
  let typed = 0

  const type = (bytes: Uint8Array): Difference | null => {
    let from = 0
    while (from < bytes.byteLength) {
      const next = wanted[at]
      const expected = next?.bytes ?? null
      if (next === undefined || expected === null || next.kind === 'resize' || next.kind === 'signal') {
        return { did: `typed ${shown(bytes.subarray(from))}`, wanted: inWords(next, typed) }
      }
      const count = Math.min(bytes.byteLength - from, expected.byteLength - typed)
      for (let index = 0; index < count; index += 1) {
        const known = expected[typed + index]
        if (known === bytes[from + index] || known === MASK) continue
        return { did: `typed ${shown(bytes.subarray(from))}`, wanted: inWords(next, typed) }
      }
      from += count
      typed += count
      if (typed === expected.byteLength) step()
    }
    return null
  }
  const step = (): void => {
    at += 1
    typed = 0
  }

  return {
    did(action) {
      if (action.type === 'write') return type(action.bytes)
      const next = wanted[at]
      if (typed === 0 && next !== undefined && isSame(action, next)) {
        step()
        return null
      }
      return {
        did: action.type === 'resize' ? `resized to ${action.cols}x${action.rows}` : `sent ${action.signal}`,
        wanted: inWords(next, typed),
      }
    },
    left: () => (at < wanted.length ? inWords(wanted[at], typed) : null),
  }
}

function isSame(action: TerminalAction, input: InputRecord): boolean {
  if (action.type === 'resize')
    return input.kind === 'resize' && input.size?.cols === action.cols && input.size.rows === action.rows
  return action.type === 'signal' && input.kind === 'signal' && input.signal === action.signal
}

function inWords(input: InputRecord | undefined, typed: number): string {
  if (input === undefined) return 'nothing more'
  if (input.kind === 'resize') return `a resize to ${input.size?.cols}x${input.size?.rows}`
  if (input.kind === 'signal') return `the signal ${input.signal}`
  return `${shown((input.bytes ?? new Uint8Array()).subarray(typed))} typed`
}

function shown(bytes: Uint8Array): string {
  return JSON.stringify(Buffer.from(bytes.subarray(0, MAX_SHOWN)).toString('utf8'))
}
