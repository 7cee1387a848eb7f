/**
 * Every sentence about a divergence of a replay, with its category and facts. What the comparison of two
 * tapes finds has its sentences in `fidelity/sentences.ts`.
 */
import type { Closest, ReplayCategory, ReplayDivergence } from './divergence.ts'

/** Two values, as a person reads them. */
type Values = { readonly expected: string; readonly actual: string }

type Facts = Partial<Pick<ReplayDivergence, 'expected' | 'actual' | 'path'>>

function divergence(
  seq: number | null,
  category: ReplayCategory,
  message: string,
  { expected = null, actual = null, path = null }: Facts = {},
): ReplayDivergence {
  return { seq, category, message, expected, actual, path }
}

const at = (seq: number | null): string =>
  seq === null ? 'Replay diverged' : `Replay diverged at record ${seq}`

const both = ({ expected, actual }: Values): string =>
  `\n  expected     ${expected}\n  got          ${actual}`

// What the program asks for.

export type Miss = {
  readonly seq: number | null
  readonly expected: string | null
  readonly actual: string
  readonly lastMatch: { readonly seq: number; readonly key: string } | null
  readonly closest: Closest | null
}

/** The program asked for something that is not on the tape, or not any more. */
export function unmatched(miss: Miss, category: ReplayCategory = 'unmatched'): ReplayDivergence {
  const { seq, expected, actual, closest } = miss
  return divergence(seq, category, unmatchedText(miss), {
    expected,
    actual,
    path: closest?.difference?.path ?? null,
  })
}

function unmatchedText({ seq, expected, actual, lastMatch, closest }: Miss): string {
  const where = seq === null ? 'Replay diverged after the end of the tape' : at(seq)
  const lines = [
    `${where}: ${expected === null ? 'the tape has nothing more' : `expected ${expected}`}, got ${actual}`,
  ]
  if (lastMatch !== null) lines.push(`  last match   #${lastMatch.seq} ${lastMatch.key}`)
  if (closest !== null) lines.push(...closestLines(closest))
  return lines.join('\n')
}

function closestLines({ seq, key, difference }: Closest): string[] {
  if (difference === null) return [`  closest      #${seq} ${key}`]
  return [
    `  closest      #${seq} ${key}   differs ${difference.where}`,
    `    recorded   ${difference.expected}`,
    `    now        ${difference.actual}`,
  ]
}

export function unrecorded({
  seq,
  reason,
}: {
  readonly seq: number
  readonly reason: string
}): ReplayDivergence {
  const message = `Replay cannot go past record ${seq}: ${reason}, which was not recorded`
  return divergence(seq, 'gap', message, { actual: reason })
}

export function notLive(boundary: string, key: string, seq: number | null): ReplayDivergence {
  const where = seq === null ? 'in this run' : `after record ${seq}`
  const message = `The boundary ${boundary} is not live ${where}: ${key} is refused`
  return divergence(seq, 'not_live', message, { actual: key })
}

export function noPayload(seq: number, what: string, tape: string, hash: string): ReplayDivergence {
  const message = `Record ${seq} cannot be served: ${what} has no payload; ${tape}.cas/${hash} is missing`
  return divergence(seq, 'no_payload', message, { expected: what })
}

export function unreadableTerminal(seq: number | null, reason: string): ReplayDivergence {
  return divergence(seq, 'unmatched', `${at(seq)}: the terminal cannot be replayed: ${reason}`)
}

// What the program sends.

/** `what` is a file that it writes, or the input of a child. */
export function otherContent(
  seq: number,
  what: string,
  difference: Values & { readonly where: string; readonly path: string },
): ReplayDivergence {
  const message = `${at(seq)}: ${what} has another content, ${difference.where}${both(difference)}`
  return divergence(seq, 'content', message, difference)
}

/** Of contents of which only length and hash are known. */
export function otherHash(seq: number, what: string, values: Values): ReplayDivergence {
  return divergence(seq, 'content', `${at(seq)}: ${what} has another content${both(values)}`, values)
}

export function otherStart(
  seq: number | null,
  key: string,
  difference: Values & { readonly path: string },
): ReplayDivergence {
  const message = `${at(seq)}: ${key} is started with another ${difference.path}${both(difference)}`
  return divergence(seq, 'content', message, difference)
}

export function otherInput(
  seq: number,
  stream: string,
  key: string,
  { where, expected, actual }: Values & { readonly where: string },
): ReplayDivergence {
  const values = { expected, actual }
  const message = `${at(seq)}: what the program sends to ${stream} of ${key} differs from ${where} on${both(values)}`
  return divergence(seq, 'content', message, { ...values, path: where })
}

export type OtherMessage = Values & {
  readonly where: string
  readonly path?: string | null
  readonly field?: Values
}

/** A message of a protocol that has no counterpart on the tape. */
export function otherMessage(
  seq: number,
  key: string,
  { where, expected, actual, path = null, field }: OtherMessage,
): ReplayDivergence {
  const values =
    field === undefined ? '' : `\n    recorded   ${field.expected}\n    now        ${field.actual}`
  const closest = path === null ? '' : `\n  closest      ${expected}   differs at ${path}${values}`
  const message = `${at(seq)}: ${where} to ${key} is ${actual}, and the tape has ${expected}${closest}`
  return divergence(seq, 'unmatched', message, { expected, actual, path })
}

export function otherTerminalInput(seq: number, did: string, wanted: string): ReplayDivergence {
  const message = `Replay diverged on the terminal of record ${seq}: the program ${did}, the recording has ${wanted}`
  return divergence(seq, 'content', message, { expected: wanted, actual: did })
}

// What is left of the tape.

export function skipped(seq: number, expected: string): ReplayDivergence {
  const message = `Record ${seq} was passed over: the tape has ${expected}, and the program did not ask for it`
  return divergence(seq, 'not_asked_for', message, { expected })
}

export function late(seq: number, expected: string): ReplayDivergence {
  const message = `Record ${seq} came too early: the program asked for ${expected} later than it did when recorded`
  return divergence(seq, 'out_of_order', message, { expected })
}

export function endedBefore(seq: number, expected: string): ReplayDivergence {
  const message = `The program ended before record ${seq}: the tape goes on with ${expected}`
  return divergence(seq, 'ended_early', message, { expected, actual: 'the end of the program' })
}

export function notAskedFor(seq: number, expected: string): ReplayDivergence {
  return divergence(seq, 'not_asked_for', `Record ${seq} was not asked for: ${expected}`, { expected })
}

export function moreNotAskedFor(count: number): ReplayDivergence {
  return divergence(null, 'not_asked_for', `and ${count} more record(s) that were not asked for`)
}

export function unusedEffects(seq: number, expected: string, count: number): ReplayDivergence {
  const message = `Replay diverged: ${count} recorded effect(s) were not asked for; the first is #${seq} ${expected}`
  return divergence(seq, 'not_asked_for', message, { expected })
}

export function terminalLeft(seq: number, wanted: string): ReplayDivergence {
  const message = `Replay diverged on the terminal of record ${seq}: the recording goes on with ${wanted}, and the program did not do it`
  return divergence(seq, 'ended_early', message, { expected: wanted })
}

export function neverDelivered(key: string): ReplayDivergence {
  const message = `Replay diverged: the program waits for ${key}, which the tape never delivers`
  return divergence(null, 'ended_early', message, { actual: key })
}

export function waitsForever(): ReplayDivergence {
  const message = 'Replay diverged: the program waits for something that the tape never delivers'
  return divergence(null, 'ended_early', message, { actual: 'waits' })
}

// Reads of the clock and of randomness.

export function moreRandom(seq: number | null, api: string): ReplayDivergence {
  const where = seq === null ? 'Replay diverged' : `Replay diverged before record ${seq}`
  const message = `${where}: the program asks for more random values (${api}) than are on the tape`
  return divergence(seq, 'random_extra', message, { actual: api })
}

export function otherRandomSize(
  seq: number,
  api: string,
  recorded: number,
  wanted: number,
): ReplayDivergence {
  const message = `${at(seq)}: expected ${api} to be asked for ${recorded} random byte(s), got ${wanted}`
  return divergence(seq, 'random_size', message, { expected: String(recorded), actual: String(wanted) })
}

export function unreadRandom(count: number): ReplayDivergence {
  const message = `${count} random value(s) on the tape were not asked for`
  return divergence(null, 'random_missing', message, { expected: String(count), actual: '0' })
}

export function clockDoesNotAdvance(api: string): ReplayDivergence {
  const message = `Replay diverged: the program reads ${api} again and again, and the tape has no more of it`
  return divergence(null, 'clock_extra', message, { actual: api })
}

export function moreClockReads(count: number): ReplayDivergence {
  const message = `${count} clock read(s) that are not on the tape`
  return divergence(null, 'clock_extra', message, { actual: String(count) })
}

export function fewerClockReads(count: number): ReplayDivergence {
  const message = `${count} clock read(s) on the tape that were not made`
  return divergence(null, 'clock_missing', message, { actual: String(count) })
}

// The run as a whole.

export function otherExit(expected: string, actual: string): ReplayDivergence {
  return divergence(null, 'exit_code', `exit diverged: recorded=${expected} replay=${actual}`, {
    expected,
    actual,
  })
}

type Printed = { readonly bytes: string; readonly hash: string }

export function otherOutput(name: 'stdout' | 'stderr', then: Printed, now: Printed): ReplayDivergence {
  const message = `${name} diverged: recorded=${then.bytes} bytes replay=${now.bytes} bytes`
  return divergence(null, name, message, { expected: then.hash, actual: now.hash })
}

export function moreFindings(count: number): ReplayDivergence {
  return divergence(null, 'more_findings', `and ${count} more place(s) where the runs differ`)
}
