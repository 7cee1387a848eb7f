/**
 * Judges a journal file: is every line whole, do the numbers run on, do the checkpoints' counts and chain
 * hold, is the tail still there, do the signatures hold and come from the key that is trusted? Reads the
 * session once, holding one chunk.
 */
import { FirstOfMany } from '../../base/index.ts'
import { fs } from '../../real/index.ts'
import type { Line } from '../../tape/lines.ts'
import { type Checkpoint, checkpointChain, readCheckpoints, signatureHolds } from './checkpoints.ts'
import { decodeLine, journalDecoder } from './decode-lines.ts'
import { lineChain, splitChain } from './entry-line.ts'
import { createLineReader } from './read-lines.ts'
import { sessionBytes } from './session-bytes.ts'
import { listParts, type SessionFiles } from './session-files.ts'
import { isWholeLine } from './tail-state.ts'

export type JournalFinding = {
  readonly code:
    | 'line-damaged'
    | 'seq-repeated'
    | 'seq-gap'
    | 'seq-order'
    | 'line-chain'
    | 'cut-tail'
    | 'checkpoint-chain'
    | 'checkpoint-count'
    | 'checkpoint-damaged'
    | 'signature-invalid'
    | 'signature-missing'
    | 'signature-other-key'
    | 'part-missing'
  readonly message: string
  readonly line?: number
  readonly seq?: number
}

export type JournalVerdict = {
  readonly ok: boolean
  readonly records: number
  readonly bytes: number
  readonly checkpoints: number
  readonly signed: number
  /** Lines after the last checkpoint: a cut there would not show. */
  readonly unsealedLines: number
  readonly repairs: number
  /** The first 10,000. */
  readonly findings: readonly JournalFinding[]
  /** How many there are. */
  readonly found: number
}

export async function verifyJournal(files: SessionFiles, trustedKey: string | null): Promise<JournalVerdict> {
  const findings = new FirstOfMany<JournalFinding>()
  const { checkpoints, damaged } = readCheckpoints(files.checkpoints)
  for (const { line, reason } of damaged)
    findings.add(() => ({
      code: 'checkpoint-damaged',
      message: `checkpoint line ${line} is ${reason}`,
      line,
    }))
  checkParts(files, findings)
  checkSignatures(files.session, checkpoints, trustedKey, findings)
  const lines = createLineCheck(findings)
  const bytes = checkChain(files, checkpoints, lines.see, findings)
  return {
    ok: findings.count === 0,
    records: lines.records(),
    bytes,
    checkpoints: checkpoints.length,
    signed: checkpoints.filter((checkpoint) => checkpoint.signature !== undefined).length,
    unsealedLines: Math.max(0, lines.count() - (checkpoints.at(-1)?.count ?? 0)),
    repairs: countLines(files.repairs),
    findings: findings.listed,
    found: findings.count,
  }
}

function checkParts(files: SessionFiles, findings: FirstOfMany<JournalFinding>): void {
  for (const [index, part] of listParts(files).entries()) {
    if (part.number === index + 1) continue
    findings.add(() => ({
      code: 'part-missing',
      message: `part ${index + 1} of the rotated journal is not there`,
    }))
    return
  }
}

function checkSignatures(
  session: string,
  checkpoints: readonly Checkpoint[],
  trustedKey: string | null,
  findings: FirstOfMany<JournalFinding>,
): void {
  for (const [index, checkpoint] of checkpoints.entries()) {
    const where = { line: index + 1, seq: checkpoint.seq }
    if (checkpoint.signature === undefined) {
      if (trustedKey !== null)
        findings.add(() => ({
          code: 'signature-missing',
          message: `checkpoint ${index + 1} is not signed`,
          ...where,
        }))
    } else if (!signatureHolds(session, checkpoint)) {
      findings.add(() => ({
        code: 'signature-invalid',
        message: `the signature of checkpoint ${index + 1} does not hold`,
        ...where,
      }))
    } else if (trustedKey !== null && checkpoint.signature.public_key !== trustedKey) {
      findings.add(() => ({
        code: 'signature-other-key',
        message: `checkpoint ${index + 1} is signed by another key`,
        ...where,
      }))
    }
  }
}

/** Walks the session's bytes once, along the checkpoints; gives how many there are. */
function checkChain(
  files: SessionFiles,
  checkpoints: readonly Checkpoint[],
  see: (line: Line) => void,
  findings: FirstOfMany<JournalFinding>,
): number {
  let at = 0
  let count = 0
  const reader = createLineReader(0, (line) => {
    if (line.ended) count += 1
    see(line)
  })
  let chain = checkpointChain('')
  let broken = false
  let next = 0
  const reach = (end: number): void => {
    for (
      let checkpoint = checkpoints[next];
      checkpoint !== undefined && checkpoint.bytes === end;
      checkpoint = checkpoints[next]
    ) {
      // Report only the first mismatch: every later chain covers it too.
      if (!broken && chain.digest() !== checkpoint.chain) {
        broken = true
        findings.add(() => ({
          code: 'checkpoint-chain',
          message: `the bytes up to seq ${checkpoint.seq} are not those of checkpoint ${next + 1}`,
          line: next + 1,
          seq: checkpoint.seq,
        }))
      } else if (!broken && checkpoint.count !== count) {
        findings.add(() => ({
          code: 'checkpoint-count',
          message: `checkpoint ${next + 1} counts ${checkpoint.count} lines, there are ${count}`,
          line: next + 1,
        }))
      }
      chain = checkpointChain(checkpoint.chain)
      next += 1
    }
  }
  for (const chunk of sessionBytes(files, 0, Number.POSITIVE_INFINITY)) {
    for (let from = 0; from < chunk.byteLength; ) {
      const target = checkpoints[next]?.bytes ?? Number.POSITIVE_INFINITY
      const piece = Buffer.from(
        chunk.subarray(from, Math.min(chunk.byteLength, Math.max(from + 1, from + target - at))),
      )
      chain.update(piece)
      reader.push(piece)
      at += piece.byteLength
      from += piece.byteLength
      reach(at)
    }
  }
  reader.end()
  const last = checkpoints.at(-1)
  if (last !== undefined && last.bytes > at) {
    const lost = last.count - count
    const message = `the journal ends at byte ${at}, checkpoint ${checkpoints.length} was made at byte ${last.bytes} (seq ${last.seq}): about ${lost} lines are gone`
    findings.add(() => ({ code: 'cut-tail', message, seq: last.seq }))
  }
  return at
}

type LineCheck = { see(line: Line): void; records(): number; count(): number }

function createLineCheck(findings: FirstOfMany<JournalFinding>): LineCheck {
  let lines = 0
  let records = 0
  let lastSeq = -1
  let chain = ''
  const seqs = (seq: number, line: number): void => {
    if (seq === lastSeq)
      findings.add(() => ({ code: 'seq-repeated', message: `seq ${seq} is there twice`, line, seq }))
    else if (seq < lastSeq)
      findings.add(() => ({ code: 'seq-order', message: `seq ${seq} comes after seq ${lastSeq}`, line, seq }))
    else if (seq > lastSeq + 1)
      findings.add(() => ({ code: 'seq-gap', message: `seq ${seq} follows seq ${lastSeq}`, line, seq }))
    lastSeq = Math.max(lastSeq, seq)
  }
  const chained = (text: string, line: number): void => {
    const parts = splitChain(text)
    if (parts !== null && lineChain(chain, parts.body) !== parts.chain) {
      findings.add(() => ({
        code: 'line-chain',
        message: `line ${line} does not follow from the line before it`,
        line,
      }))
    }
    // A line without a chain begins the chain anew: writers with and without it may share a session.
    chain = parts?.chain ?? ''
  }
  return {
    see(line) {
      if (line.ended) lines += 1
      decodeLine(
        line,
        journalDecoder,
        (entry) => {
          records += 1
          seqs(entry.seq, line.number)
        },
        (damage) =>
          findings.add(() => ({
            code: 'line-damaged',
            message: `line ${damage.line} is damaged (${damage.reason})${damage.detail === null ? '' : `: ${damage.detail}`}`,
            line: damage.line,
          })),
      )
      if (line.text !== null) chained(line.text, line.number)
      if (!line.ended && line.text !== null && isWholeLine(line.text))
        findings.add(() => ({
          code: 'line-damaged',
          message: `line ${line.number} lacks its newline`,
          line: line.number,
        }))
    },
    records: () => records,
    count: () => lines,
  }
}

function countLines(path: string): number {
  if (!fs.existsSync(path)) return 0
  return fs.readFileSync(path, 'utf8').split('\n').filter(Boolean).length
}
