/**
 * An MCP server over pipes, in a replay. What the program sends is matched with the recording by method and
 * params, in recorded order among equals: ids may differ, and parallel calls may come in another order. The
 * server's messages wait until everything that had been sent before them has been sent again, and are passed
 * on with the ids of this run.
 *
 * A message that is not on the tape is answered at once with an error of the server. The replay then does not
 * wait for the recorded message that it most likely replaces, and drops its answer.
 */
import { jsonOf, utf8 } from '../../base/index.ts'
import { firstJsonDifference } from '../difference/first-difference.ts'
import { CallIds, type CallNames, underRecordedNames, withoutNames } from '../mcp/call-ids.ts'
import { messagesOf } from '../mcp/json-rpc.ts'
import { LineStream } from '../mcp/line-stream.ts'
import { errorAnswers } from '../mcp/refusal.ts'
import { renamedLines } from '../mcp/renamed-stream.ts'
import { isBlank, type RecordedServer, type SentLine, sentLine } from '../mcp/sent-messages.ts'
import type { Difference } from '../session/sent-bytes.ts'
import type { ReplayFollower } from './stdio-follower.ts'

export function replayMcpServer({ lines, textOf, moved }: RecordedServer): ReplayFollower {
  const ids = new CallIds()
  const liveStream = new LineStream()
  const recordedStream = new LineStream()
  const output = renamedLines()
  /** For each recorded line: whether it was sent again, or replaced by another. */
  const settled = lines.map(() => false)
  const byKey = new Map<string, number[]>()
  for (const [at, { key }] of lines.entries()) byKey.set(key, [...(byKey.get(key) ?? []), at])
  const toDeliver: Uint8Array[] = []
  /**
   * What was sent, with the ids and in the order of the recording: parallel calls may come in another order.
   */
  const inOrder = new Map<number, string>()
  let written = 0
  let ready = ''
  let passed = 0
  let firstOpen = 0
  let sent = 0

  const take = (at: number): void => {
    settled[at] = true
    while (settled[firstOpen] === true) firstOpen += 1
  }

  const send = (text: string, raw: string): Difference | null => {
    sent += 1
    const line = sentLine(text, { recordedId: (live) => ids.recorded(live), moved })
    const at = byKey.get(line.key)?.shift()
    if (at !== undefined) {
      take(at)
      const names = lines[at]?.calls ?? []
      inOrder.set(at, asRecorded(text, raw, names))
      ids.match(names, line.calls)
      return null
    }
    ready += asRecorded(text, raw, [])
    return refuse(text, line)
  }

  const asRecorded = (text: string, raw: string, names: readonly CallNames[]): string => {
    const messages = messagesOf(text)
    const recorded =
      messages === null ? text : underRecordedNames(text, messages, names, (live) => ids.recorded(live))
    return recorded === text ? raw : `${recorded}\n`
  }

  /** A recorded line that this run does not send: nothing waits for it, and its answer is dropped. */
  const drop = (at: number): void => {
    const { key, calls } = lines[at] ?? { key: '', calls: [] }
    take(at)
    const equals = byKey.get(key)
    equals?.splice(equals.indexOf(at), 1)
    for (const call of calls) ids.drop(call)
  }

  const refuse = (text: string, line: SentLine): Difference => {
    const at = lines.findIndex((recorded, n) => settled[n] === false && recorded.subject === line.subject)
    const expected = at < 0 ? undefined : lines[at]
    if (expected !== undefined) drop(at)
    const messages = messagesOf(text)
    const recordedText = at < 0 ? null : textOf(at)
    const field = recordedText === null ? null : differingField(recordedText, moved(text))
    return {
      where: `message ${sent}`,
      expected: expected?.subject ?? 'nothing like it',
      actual: line.subject,
      path: field?.path ?? null,
      ...(field === null ? {} : { field }),
      ...(messages === null ? {} : { answer: (divergence) => deliver(errorAnswers(messages, divergence)) }),
    }
  }

  /** The answers as bytes, now or as soon as the unfinished line has ended. */
  const deliver = (answers: readonly string[]): Uint8Array => {
    const bytes = utf8(answers.map((answer) => `${answer}\n`).join(''))
    if (output.isBetween) return bytes
    toDeliver.push(bytes)
    return new Uint8Array()
  }

  return {
    live(bytes) {
      const found = liveStream.push(bytes).flatMap(({ data, raw }) => {
        if (!isBlank(data)) return send(data, raw) ?? []
        ready += raw
        return []
      })
      const [first, ...also] = found
      return first === undefined ? null : { ...first, also }
    },
    recorded(bytes) {
      passed += recordedStream.push(bytes).filter(({ data }) => !isBlank(data)).length
      return null
    },
    isBehind: () => firstOpen < passed,
    skip() {
      const before = firstOpen
      for (let at = before; at < passed; at += 1) if (settled[at] === false) drop(at)
      return firstOpen > before
    },
    leftover() {
      if (firstOpen >= passed) return null
      return {
        where: `message ${firstOpen + 1}`,
        expected: lines[firstOpen]?.subject ?? '',
        actual: 'the end',
        path: null,
      }
    },
    received(bytes) {
      const given = output.push(bytes, ids)
      return toDeliver.length > 0 && output.isBetween ? Buffer.concat([given, ...toDeliver.splice(0)]) : given
    },
    kept: () => output.kept,
    rest: () => output.rest(),
    sentAsRecorded() {
      for (; inOrder.has(written) || (settled[written] === true && !inOrder.has(written)); written += 1) {
        ready += inOrder.get(written) ?? ''
        inOrder.delete(written)
      }
      const text = ready
      ready = ''
      return utf8(text)
    },
  }
}

function differingField(
  recorded: string,
  live: string,
): (NonNullable<Difference['field']> & { readonly path: string | null }) | null {
  const [expected, actual] = [jsonOf(recorded), jsonOf(live)]
  return expected === undefined || actual === undefined
    ? null
    : firstJsonDifference(withoutNames(expected), withoutNames(actual))
}
