/**
 * The one judge of a replay. It compares the recorded tape with the second recording in the mode that was asked for; verdict, exit code, text and JSON come
 * from that comparison. A faithful run writes the very bytes of the recorded one between header and seal: then there is nothing to align.
 */
import { compare, type TapeSource, tapeFile } from '../../fidelity/index.ts'
import { toleratedAlone } from '../../fidelity/replay-policy.ts'
import { fs } from '../../real/fs.ts'
import type { TapeSelection } from '../tape-index/tape-selection.ts'
import { type ReplayFacts, type ReplayMode, type ReplayReport, verdictOf } from './verdict.ts'

export type JudgeOptions = {
  readonly mode: ReplayMode
  /** Which records of the tape the replay was about; all of them if it is missing. */
  readonly selection?: TapeSelection
  /** Names of request headers that count. */
  readonly headers?: readonly string[]
}

export function judgeReplay(facts: ReplayFacts, recorded: string, second: string, options: JudgeOptions): ReplayReport {
  const { mode, selection, headers = [] } = options
  if (selection === undefined && isSameRun(recorded, second)) return verdictOf(facts, null)
  const left = selection === undefined ? tapeFile(recorded) : selected(tapeFile(recorded), selection)
  return verdictOf(facts, compare(left, tapeFile(second), mode, { toleratedAlone: toleratedAlone(mode) }), headers)
}

function selected(source: TapeSource, selection: TapeSelection): TapeSource {
  function* events() {
    const isSelected = selection()
    for (const event of source.events) {
      // How the process ended says nothing about a part of it.
      if (event.type === 'record' && (event.record.kind.kind === 'tape_seal' || !isSelected(event.record))) continue
      yield event
    }
  }
  return { name: source.name, events: events(), resolve: (payload) => source.resolve(payload) }
}

const BLOCK = 1 << 20

type Body = { readonly fd: number; readonly start: number; readonly end: number; readonly seal: string | null }

/** True if both files hold the same bytes between their first and their last line, and both runs ended in the same way. */
function isSameRun(recorded: string, second: string): boolean {
  const [left, right] = [bodyOf(recorded), bodyOf(second)]
  try {
    if (left.seal === null || right.seal === null || left.end - left.start !== right.end - right.start) return false
    const [a, b] = [Buffer.allocUnsafe(BLOCK), Buffer.allocUnsafe(BLOCK)]
    for (let at = 0; at < left.end - left.start; at += BLOCK) {
      const size = Math.min(BLOCK, left.end - left.start - at)
      const same = fs.readSync(left.fd, a, 0, size, left.start + at) === size && fs.readSync(right.fd, b, 0, size, right.start + at) === size
      if (!same || a.compare(b, 0, size, 0, size) !== 0) return false
    }
    return sameEnds(left.seal, right.seal)
  } finally {
    fs.closeSync(left.fd)
    fs.closeSync(right.fd)
  }
}

/** A first or last line that is longer than a block is not looked for: then the tapes are compared record by record. */
function bodyOf(path: string): Body {
  const fd = fs.openSync(path, 'r')
  const { size } = fs.fstatSync(fd)
  const block = Buffer.allocUnsafe(Math.min(BLOCK, size))
  const head = block.subarray(0, fs.readSync(fd, block, 0, block.byteLength, 0))
  const start = head.indexOf(10) + 1
  const tail = block.subarray(0, fs.readSync(fd, block, 0, block.byteLength, Math.max(0, size - block.byteLength)))
  const last = tail.lastIndexOf(10, tail.byteLength - 2) + 1
  const line = tail.subarray(last)
  const isSealed = start > 0 && last > 0 && line.includes('"kind":"tape_seal"')
  return { fd, start, end: size - tail.byteLength + last, seal: isSealed ? line.toString('utf8') : null }
}

/** What only one seal knows is no difference of the runs. */
function sameEnds(recorded: string, second: string): boolean {
  const [left, right] = [JSON.parse(recorded).kind, JSON.parse(second).kind]
  return ['exit', 'stdout', 'stderr'].every((name) => {
    const [then, now] = [left[name] ?? null, right[name] ?? null]
    return then === null || now === null || JSON.stringify(then) === JSON.stringify(now)
  })
}
