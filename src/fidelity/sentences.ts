/**
 * Every sentence about a divergence: first what the comparison of two tapes finds, then what a replay notices
 * while it runs. `<thing> diverged: recorded=<a> replay=<b>` is a promise: people search for it.
 */
import type { ReplayCategory } from './categories.ts'
import { clockCall, type ReadFacts, type UnmatchedRead } from './clock-reads.ts'
import type { Divergence, DivergenceFacts, Words } from './divergence.ts'
import { bounded } from './spelling.ts'
import type { Warning } from './warnings.ts'

export function withSentence(facts: DivergenceFacts, laneRecords: number): Divergence {
  const { words, ...rest } = facts
  return {
    ...rest,
    expected: bounded(rest.expected),
    actual: bounded(rest.actual),
    message: sentence(words, laneRecords),
  }
}

/** `laneRecords`: how many recorded records there were to compare, which is known only at the end. */
function sentence(words: Words, laneRecords: number): string {
  switch (words.form) {
    case 'diverged':
      return `${words.thing} diverged: recorded=${words.recorded} replay=${words.replay}${readText(words.read)}`
    case 'ended':
      return `replay tape ended at #${words.index}; recorded had ${laneRecords - words.index} more record(s)`
    case 'extra-at-end':
      return `replay produced an extra record at #${words.index} (kind=${words.kind})`
    case 'only-recorded':
      return `replay has no counterpart of recorded #${words.index} (kind=${words.kind})`
    case 'only-replayed':
      return `replay produced an extra record at #${words.index} (kind=${words.kind})`
    case 'moved':
      return `Replay diverged at record ${words.seq}: ${words.what} was called in another order: recorded ${words.was}, now ${words.now}`
    case 'noticed':
      return words.message
    case 'damaged':
      return `${words.field} of the ${words.side} tape does not match its hash: ${words.why}`
  }
}

function readText(read: ReadFacts | undefined): string {
  if (read === undefined) return ''
  const { api, frame, missing, extra } = read
  const caller = frame === null ? '' : `, called by ${frame}`
  return ` (${clockCall(api)}${caller}; clock reads before it: ${missing} missing, ${extra} extra)`
}

export function warningSentence(warning: Warning): string {
  switch (warning.code) {
    case 'empty':
      return `the ${warning.side} tape holds no record: there was nothing to compare`
    case 'gap':
      return `the ${warning.side} tape has ${warning.count} gap(s): something crossed there unrecorded (first at record ${warning.seq}: ${warning.reason})`
    case 'torn':
      return `the last line (${warning.line}) of the ${warning.side} tape was cut off after ${warning.bytes} bytes`
    case 'unsealed':
      return `the ${warning.side} tape has no seal: its end may be missing`
    case 'header':
      return `header ${warning.field} differs: recorded=${warning.expected} replay=${warning.actual}`
  }
}

// What a replay notices while it runs.

/** Two values, as a person reads them. */
type Values = { readonly expected: string; readonly actual: string }

type Facts = Partial<Pick<Divergence, 'expected' | 'actual' | 'path'>>

function divergence(
  seq: number | null,
  category: ReplayCategory,
  message: string,
  { expected = null, actual = null, path = null }: Facts = {},
): Divergence {
  return { seq, category, code: 'replay', path, expected, actual, payload: null, message }
}

const at = (seq: number | null): string =>
  seq === null ? 'Replay diverged' : `Replay diverged at record ${seq}`

const both = ({ expected, actual }: Values): string =>
  `\n  expected     ${expected}\n  got          ${actual}`

// What the program asks for.

/** The recorded request that is closest to one of this run. */
export type Closest = {
  readonly seq: number
  readonly key: string
  /** Where the two differ first; `where` reads after "differs". */
  readonly difference: (Values & { readonly where: string; readonly path: string }) | null
}

export type Miss = {
  readonly seq: number | null
  readonly expected: string | null
  readonly actual: string
  readonly lastMatch: { readonly seq: number; readonly key: string } | null
  readonly closest: Closest | null
}

/** The program requested something that is not on the tape, or not any more. */
export function unmatched(miss: Miss, category: ReplayCategory = 'unmatched'): Divergence {
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

export function unrecorded({ seq, reason }: { readonly seq: number; readonly reason: string }): Divergence {
  const message = `Replay cannot go past record ${seq}: ${reason}, which was not recorded`
  return divergence(seq, 'gap', message, { actual: reason })
}

export function notLive(boundary: string, key: string, seq: number | null): Divergence {
  const where = seq === null ? 'in this run' : `after record ${seq}`
  const message = `The boundary ${boundary} is not live ${where}: ${key} is refused`
  return divergence(seq, 'not_live', message, { actual: key })
}

export function openWhenLive(boundary: string, key: string, seq: number | null): Divergence {
  const when = seq === null ? 'when the run went live' : `at record ${seq}`
  const message = `The boundary ${boundary} cannot go on with ${key} in a sandbox: it was open ${when}`
  return divergence(seq, 'not_live', message, { actual: key })
}

export function noPayload(seq: number, what: string, tape: string, hash: string): Divergence {
  const message = `Record ${seq} cannot be served: ${what} has no payload; ${tape}.cas/${hash} is missing`
  return divergence(seq, 'no_payload', message, { expected: what })
}

export function unreadableTerminal(seq: number | null, reason: string): Divergence {
  return divergence(seq, 'unmatched', `${at(seq)}: the terminal cannot be replayed: ${reason}`)
}

/** A call in the place of another one. */
export function otherCall(seq: number, expected: string, actual: string): Divergence {
  return divergence(seq, 'unmatched', `${at(seq)}: expected ${expected}, got ${actual}`, { expected, actual })
}

// What the program sends.

/** `what` is a file that it writes, or the input of a child. */
export function otherContent(
  seq: number,
  what: string,
  difference: Values & { readonly where: string; readonly path: string },
): Divergence {
  const message = `${at(seq)}: ${what} has another content, ${difference.where}${both(difference)}`
  return divergence(seq, 'content', message, difference)
}

/** Of contents of which only length and hash are known. */
export function otherHash(seq: number, what: string, values: Values): Divergence {
  return divergence(seq, 'content', `${at(seq)}: ${what} has another content${both(values)}`, values)
}

export function otherStart(
  seq: number | null,
  key: string,
  difference: Values & { readonly path: string },
): Divergence {
  const message = `${at(seq)}: ${key} is started with another ${difference.path}${both(difference)}`
  return divergence(seq, 'content', message, difference)
}

export function otherInput(
  seq: number,
  stream: string,
  key: string,
  { where, expected, actual }: Values & { readonly where: string },
): Divergence {
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
): Divergence {
  const values =
    field === undefined ? '' : `\n    recorded   ${field.expected}\n    now        ${field.actual}`
  const closest = path === null ? '' : `\n  closest      ${expected}   differs at ${path}${values}`
  const message = `${at(seq)}: ${where} to ${key} is ${actual}, and the tape has ${expected}${closest}`
  return divergence(seq, 'unmatched', message, { expected, actual, path })
}

export function otherTerminalInput(seq: number, did: string, wanted: string): Divergence {
  const message = `Replay diverged on the terminal of record ${seq}: the program ${did}, the recording has ${wanted}`
  return divergence(seq, 'content', message, { expected: wanted, actual: did })
}

// What is left of the tape.

export function skipped(seq: number, expected: string): Divergence {
  const message = `Record ${seq} was passed over: the tape has ${expected}, and the program did not request it`
  return divergence(seq, 'not_asked_for', message, { expected })
}

export function late(seq: number, expected: string): Divergence {
  const message = `Record ${seq} came too early: the program requested ${expected} later than it did when recorded`
  return divergence(seq, 'out_of_order', message, { expected })
}

export function endedBefore(seq: number, expected: string): Divergence {
  const message = `The program ended before record ${seq}: the tape goes on with ${expected}`
  return divergence(seq, 'ended_early', message, { expected, actual: 'the end of the program' })
}

export function notAskedFor(seq: number, expected: string): Divergence {
  return divergence(seq, 'not_asked_for', `Record ${seq} was not requested: ${expected}`, { expected })
}

export function moreNotAskedFor(count: number): Divergence {
  return divergence(null, 'not_asked_for', `and ${count} more record(s) that were not requested`)
}

export function unusedEffects(seq: number, expected: string, count: number): Divergence {
  const message = `Replay diverged: ${count} recorded effect(s) were not requested; the first is #${seq} ${expected}`
  return divergence(seq, 'not_asked_for', message, { expected })
}

export function terminalLeft(seq: number, wanted: string): Divergence {
  const message = `Replay diverged on the terminal of record ${seq}: the recording goes on with ${wanted}, and the program did not do it`
  return divergence(seq, 'ended_early', message, { expected: wanted })
}

export function neverDelivered(key: string): Divergence {
  const message = `Replay diverged: the program waits for ${key}, which the tape never delivers`
  return divergence(null, 'ended_early', message, { actual: key })
}

export function waitsForever(): Divergence {
  const message = 'Replay diverged: the program waits for something that the tape never delivers'
  return divergence(null, 'ended_early', message, { actual: 'waits' })
}

// Reads of the clock and of randomness.

export function moreRandom(seq: number | null, api: string): Divergence {
  const where = seq === null ? 'Replay diverged' : `Replay diverged before record ${seq}`
  const message = `${where}: the program asks for more random values (${api}) than are on the tape`
  return divergence(seq, 'random_extra', message, { actual: api })
}

function factName(api: string, name: string): string {
  if (api !== 'process.env') return api === name ? name : `${api} ${name}`
  return name === '*' ? ALL_VARIABLES : `the variable ${name}`
}

/** All variables were read to be copied, as for a child: how the copy is used is more useful to report. */
export function isReadOfAll({ category, actual }: Divergence): boolean {
  return category === 'env_unknown' && actual === ALL_VARIABLES
}

const ALL_VARIABLES = 'all variables'

export function unknownFact(seq: number | null, api: string, name: string): Divergence {
  const where = seq === null ? 'Replay diverged' : `Replay diverged before record ${seq}`
  const what = factName(api, name)
  const message = `${where}: the program requests ${what}, which the recorded run did not: the tape has no value for it`
  return divergence(seq, 'env_unknown', message, { actual: what })
}

export function otherRandomSize(seq: number, api: string, recorded: number, wanted: number): Divergence {
  const message = `${at(seq)}: expected ${api} to return ${recorded} random byte(s), got a call for ${wanted}`
  return divergence(seq, 'random_size', message, { expected: String(recorded), actual: String(wanted) })
}

export function unreadRandom(count: number): Divergence {
  const message = `${count} random value(s) on the tape were not requested`
  return divergence(null, 'random_missing', message, { expected: String(count), actual: '0' })
}

export function clockDoesNotAdvance(api: string): Divergence {
  const message = `Replay diverged: the program reads ${api} again and again, and the tape has no more of it`
  return divergence(null, 'clock_extra', message, { actual: api })
}

export function moreClockReads(count: number): Divergence {
  const message = `${count} clock read(s) that are not on the tape`
  return divergence(null, 'clock_extra', message, { actual: String(count) })
}

export function fewerClockReads(count: number): Divergence {
  const message = `${count} clock read(s) on the tape that were not made`
  return divergence(null, 'clock_missing', message, { actual: String(count) })
}

/** What is known about clock reads that only one run made, before a place of the replay. */
export type ReadsBefore = {
  readonly missing: number
  readonly extra: number
  /** The first of them. */
  readonly first: UnmatchedRead
}

/** A divergence with the clock reads that may be its cause. */
export function withReadsBefore(divergence: Divergence, reads: ReadsBefore): Divergence {
  const { missing, extra, first } = reads
  const api = first.api === null ? 'the clock' : clockCall(first.api)
  const caller = first.frame === null ? '' : `, called by ${first.frame}`
  const which =
    first.type === 'missing'
      ? `${api} of record ${first.seq} was not called`
      : `${api}${caller} is not on the tape`
  const { category, message } = divergence
  const isSum = category === 'clock_missing' || category === 'clock_extra'
  const added = isSum
    ? `  first        ${which}`
    : `  before it    ${missing} missing, ${extra} extra clock read(s); first: ${which}`
  return { ...divergence, message: `${message}\n${added}` }
}

// The run as a whole.

export function otherExit(expected: string, actual: string): Divergence {
  return divergence(null, 'exit_code', `exit diverged: recorded=${expected} replay=${actual}`, {
    expected,
    actual,
  })
}

type Printed = { readonly bytes: string; readonly hash: string }

export function otherOutput(name: 'stdout' | 'stderr', then: Printed, now: Printed): Divergence {
  const message = `${name} diverged: recorded=${then.bytes} bytes replay=${now.bytes} bytes`
  return divergence(null, name, message, { expected: then.hash, actual: now.hash })
}

export function moreFindings(count: number): Divergence {
  return divergence(null, 'more_findings', `and ${count} more place(s) where the runs differ`)
}
