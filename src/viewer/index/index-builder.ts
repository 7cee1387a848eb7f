/**
 * Builds the index of one tape from its bytes, in one pass. Memory does not grow with the tape: recent rows,
 * open effects, recent paths and one segment of trigrams are held.
 *
 * A tape that cannot be read gives an index without rows, whose findings have the reason. `finish` writes everything;
 * after `resume` the builder goes on with bytes that were appended to the tape, as `--follow` does.
 *
 * Decision 0271.
 */
import { isContentHash } from '../../base/index.ts'
import { isRepriseError } from '../../errors/index.ts'
import { casFolder } from '../../tape/cas.ts'
import { kindName, type RecordKind } from '../../tape/kinds.ts'
import { createTapeParser, type TapeEvent } from '../../tape/parser.ts'
import { casReferences } from '../../tape/payload.ts'
import { laneNumber, laneOfKind } from '../layout/lanes.ts'
import { INDEX_FORMAT, INDEX_VERSION, type IndexMetadata } from '../layout/metadata.ts'
import { BLOCK_ROWS, FLAG, NONE, type RowEntry } from '../layout/rows.ts'
import type { ViewerFinding } from '../protocol/findings.ts'
import { LANES, type Lane } from '../protocol/rows.ts'
import { BlockCounts } from './block-counts.ts'
import { KindTable } from './kind-table.ts'
import { type EffectState, effectOf, endsEffect, OpenEffects } from './open-effects.ts'
import { PathHistory } from './path-history.ts'
import { durationOf, flagsOf } from './record-facts.ts'
import { RowFile } from './row-file.ts'
import { collectTotals } from './run-totals.ts'
import { readStoredText, storedBytes } from './stored-payloads.ts'
import {
  fault,
  headerFacts,
  type SeenHeader,
  sealFacts,
  type TapeEnd,
  verdictOf,
  wholeFileFindings,
} from './tape-facts.ts'
import { TapeText } from './tape-text.ts'
import { TrigramFile } from './trigram-file.ts'

export type IndexBuilder = {
  /** The next bytes of the tape. */
  push(chunk: Buffer): void
  /** The tape has ended: a last line without a line break is judged. */
  end(): void
  /** Writes everything to the folder and returns what `index.json` has to hold. */
  finish(tape: IndexMetadata['tape']): IndexMetadata
  resume(): void
  close(): void
  readonly rows: number
  readonly sealed: boolean
}

const MAX_FINDINGS = 1000

export function createIndexBuilder(
  path: string,
  folder: string,
  cassetteItem: (name: string) => string | null = () => null,
): IndexBuilder {
  const parser = createTapeParser(path)
  const rowFile = new RowFile(folder)
  const blocks = new BlockCounts(folder)
  const trigrams = new TrigramFile(folder)
  const text = new TapeText((bytes, from, to) => trigrams.add(bytes, from, to))
  const effects = new OpenEffects()
  const paths = new PathHistory()
  const totals = collectTotals((payload) => readStoredText(path, payload), cassetteItem)
  const findings: ViewerFinding[] = []
  const kinds = new KindTable()
  const searched = new Set<string>()
  let more = 0
  let header: SeenHeader | null = null
  let problem: ViewerFinding | null = null
  let seal: Extract<RecordKind, { kind: 'tape_seal' }> | null = null
  let [records, damaged, rows, previousSeq] = [0, 0, 0, -1]
  let torn = false
  let seqIsRow = true
  let startedAtMs: number | null = null
  let timeMs = Number.NEGATIVE_INFINITY
  let startMs = 0
  let previousCall = NONE

  const find = (finding: ViewerFinding): void => {
    if (findings.length < MAX_FINDINGS) findings.push(finding)
    else more += 1
  }
  const timeOf = (monotonicMs: number): number => {
    if (timeMs === Number.NEGATIVE_INFINITY) startMs = monotonicMs
    timeMs = Math.max(timeMs, monotonicMs)
    return timeMs
  }
  const addRow = (row: RowEntry): void => {
    rowFile.append(row)
    blocks.add(row)
    rows += 1
  }
  const beginBlock = (offset: number): void => {
    if (rows % BLOCK_ROWS !== 0) return
    text.upTo(offset)
    searched.clear()
    if (rows > 0) trigrams.nextBlock()
  }

  const onRecord = (event: Extract<TapeEvent, { type: 'record' }>): void => {
    beginBlock(event.offset)
    const { record } = event
    const { kind } = record
    const name = kindName(kind)
    const row = rows
    const atMs = timeOf(record.monotonicMs)
    startedAtMs ??= record.virtualTimeMs
    const id = effectOf(kind)
    const isStart = kind.kind === 'effect_start'
    const effect = isStart
      ? effects.start(kind.id, row, atMs, kind.boundary, kind.request !== undefined)
      : effects.of(id)
    const durationMs = isStart ? Number.NaN : durationOf(kind, effect, atMs)
    const masked = record.scrubbed ?? 0
    addRow({
      offset: event.offset,
      atMs,
      seq: seqField(record.seq),
      lengthBytes: Math.min(Buffer.byteLength(event.text), NONE),
      durationMs,
      effect: isStart ? NONE : (effect?.startRow ?? NONE),
      previous: previousOf(kind, row),
      kind: kinds.add(name),
      lane: laneNumber(laneOfKind(name) ?? laneOfEffect(effect)),
      flags: flagsOf(kind, name, effect, masked) | (record.phase === 'runtime_finalize' ? FLAG.finalize : 0),
    })
    if (effect !== null && !isStart) {
      rowFile.setLastRow(effect.startRow, row)
      if (endsEffect(kind) && !(kind.kind === 'completion' && effect.lane === PROCESSES)) effects.end(id)
    }
    checkOrder(record.seq, row, event.line)
    if (record.seq !== row) seqIsRow = false
    if (kind.kind === 'tape_seal') seal = kind
    else records += 1
    if (kind.kind === 'gap') {
      find(fault('gap', row, event.line, `${kind.boundary}: ${kind.reason}`, 'this input was not recorded'))
    }
    totals.add(row, atMs, durationMs, kind, masked)
    searchPayloads(kind, row, event.line)
  }

  const previousOf = (kind: RecordKind, row: number): number => {
    switch (kind.kind) {
      case 'llm_call': {
        const before = previousCall
        previousCall = row
        return before
      }
      case 'file_read':
      case 'file_write':
      case 'file_delete':
      case 'file_state':
        return paths.visit(kind.path, row, kind.kind === 'file_delete' || hasContent(kind))
      default:
        return NONE
    }
  }

  const checkOrder = (seq: number, row: number, line: number): void => {
    const expected = previousSeq + 1
    previousSeq = seq
    if (seq === expected) return
    const how = seq < expected ? `comes after ${expected - 1}` : `jumps from ${expected - 1}`
    find(fault(seq < expected ? 'seq-repeat' : 'seq-jump', row, line, `record number ${seq} ${how}`, null))
  }

  /** Text in the CAS can be searched too; each entry once per block. */
  const searchPayloads = (kind: RecordKind, row: number, line: number): void => {
    for (const { contentHash, lenBytes } of casReferences(kind)) {
      if (searched.has(contentHash)) continue
      searched.add(contentHash)
      const bytes = isContentHash(contentHash) ? storedBytes(path, contentHash) : null
      if (bytes === null) {
        const message = `a payload of ${lenBytes} bytes is not in ${casFolder(path)}`
        find(fault('cas-missing', row, line, message, 'restore the folder from where the tape came from'))
      } else trigrams.add(bytes, 0, bytes.length)
    }
  }

  const onDamage = (
    kind: 'damage' | 'torn',
    at: { line: number; offset: number; bytes: number },
    code: string,
    why: string,
  ): void => {
    beginBlock(at.offset)
    find(fault(code, rows, at.line, why, 'reprise repair saves what is whole into a new file'))
    addRow({
      offset: at.offset,
      atMs: timeOf(timeMs === Number.NEGATIVE_INFINITY ? 0 : timeMs),
      seq: NONE,
      lengthBytes: Math.min(at.bytes, NONE),
      durationMs: Number.NaN,
      effect: NONE,
      previous: NONE,
      kind: kinds.add(kind),
      lane: FINDINGS,
      flags: FLAG.error | FLAG.notable,
    })
  }

  const take = (events: readonly TapeEvent[]): void => {
    for (const event of events) {
      switch (event.type) {
        case 'header':
          header = { value: event.header, text: event.text }
          break
        case 'record':
          onRecord(event)
          break
        case 'damage':
          damaged += 1
          onDamage('damage', event.damage, 'damage', `${event.damage.reason} (${event.damage.code})`)
          break
        case 'torn':
          torn = true
          onDamage('torn', event, 'torn', `the last line was cut off after ${event.bytes} bytes`)
          break
      }
    }
  }

  /** A header that cannot be used is thrown by the parser; the viewer opens and shows it. */
  const guarded = (action: () => readonly TapeEvent[]): void => {
    if (problem !== null) return
    try {
      take(action())
    } catch (error) {
      if (!isRepriseError(error) || !error.code.startsWith('tape-')) throw error
      problem = {
        code: error.code,
        severity: 'fault',
        row: null,
        line: 1,
        message: error.message,
        hint: error.hint,
      }
    }
  }

  const end = (): TapeEnd => ({ problem, header, seal, records, rows, damaged: damaged > 0 || torn })

  return {
    get rows() {
      return rows
    },
    get sealed() {
      return seal !== null
    },
    push(chunk) {
      text.push(chunk)
      guarded(() => parser.push(chunk))
      text.release()
    },
    end() {
      guarded(() => parser.end())
    },
    finish(tape) {
      text.upTo(Number.POSITIVE_INFINITY)
      rowFile.flush()
      trigrams.finish()
      const blockCount = blocks.finish()
      const lanes = LANES.map((lane, number) => ({ lane, count: blocks.lanes[number] ?? 0 }))
      const endMs = rows === 0 ? 0 : blocks.endMs
      const { llm, ...run } = totals.totals()
      return {
        format: INDEX_FORMAT,
        version: INDEX_VERSION,
        tape,
        rows,
        blocks: blockCount,
        startMs,
        endMs,
        kinds: [...kinds.names],
        segments: [...trigrams.segments],
        seqIsRow,
        overview: {
          path,
          ...headerFacts(header),
          verdict: verdictOf(end()),
          startedAtMs: header?.value.startedAtUnixMs ?? startedAtMs,
          durationMs: endMs - startMs,
          rows,
          records,
          sizeBytes: tape.sizeBytes,
          ...sealFacts(seal),
          kinds: kinds.names
            .map((kind, number) => ({
              kind,
              lane: laneOfKind(kind) ?? ('other' as const),
              count: kinds.count(number),
            }))
            .sort((a, b) => b.count - a.count),
          lanes,
          llm,
          ...run,
          findings: { findings: [...wholeFileFindings(end()), ...findings], more },
        },
      }
    },
    resume() {
      blocks.resume()
      trigrams.resume()
    },
    close() {
      rowFile.close()
      blocks.close()
      trigrams.close()
    },
  }
}

const FINDINGS = laneNumber('findings')
const PROCESSES = laneNumber('processes')

function laneOfEffect(effect: EffectState | null): Lane {
  return effect === null ? 'other' : (LANES[effect.lane] ?? 'other')
}

function seqField(seq: number): number {
  return seq >= 0 && seq < NONE ? seq : NONE
}

function hasContent(kind: { readonly payload?: unknown }): boolean {
  return kind.payload !== undefined
}
