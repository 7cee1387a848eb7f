/**
 * Checks a tape against itself: every line, every hash, every payload in the CAS, the order of `seq`, and the
 * seal. Reads it once. Streams: memory does not grow with the tape.
 *
 * Does not judge the recorded run, except where the tape itself reports that something is missing (a gap, an
 * unsealed end).
 */
import { type ContentHash, contentHashOfText, createBlake3 } from '../base/index.ts'
import { isRepriseError } from '../errors/index.ts'
import { checkCasEntry } from './cas.ts'
import { ChainHash } from './chain-hash.ts'
import type { Chunk, Payload } from './fields.ts'
import { createFindingList, type Finding, type FindingCode, type FindingList } from './findings.ts'
import type { Kind } from './kinds.ts'
import type { TapeEvent } from './parser.ts'
import { payloadsOf } from './payload.ts'
import { readChunks, readTapeBatches } from './reader.ts'
import type { TapeRecord } from './record.ts'
import { checkSignature } from './seal-signature.ts'

export type VerifyOptions = {
  /** Base64 SPKI of the key that must have signed the seal. */
  readonly publicKey?: string
}

export type TapeVerdict = {
  readonly ok: boolean
  readonly findings: readonly Finding[]
  readonly more: number
  readonly records: number
  readonly sealed: boolean
}

export async function verifyTape(path: string, options: VerifyOptions = {}): Promise<TapeVerdict> {
  const check = createTapeCheck(path, options)
  for (const events of readTapeBatches(path, check.chunk)) for (const event of events) check.event(event)
  return check.end()
}

/** Checks a tape while something else reads it: give it every chunk, and every event in that chunk. */
export type TapeCheck = {
  chunk(bytes: Buffer): void
  event(event: TapeEvent): void
  end(): TapeVerdict
}

export function createTapeCheck(path: string, options: VerifyOptions = {}): TapeCheck {
  const list = createFindingList()
  const checkPayload = payloadCheck(path)
  const chain = new ChainHash()
  let foreign = true
  let records = 0
  let previousSeq = -1
  let seal: Seal | null = null
  return {
    chunk: (bytes) => chain.push(bytes),
    event(event) {
      switch (event.type) {
        case 'header':
          foreign = event.header.producer === undefined
          break
        case 'damage':
          fault(
            list,
            'damage',
            event.damage.line,
            null,
            `${event.damage.reason} (${event.damage.code}, ${event.damage.bytes} bytes)`,
          )
          break
        case 'torn':
          fault(list, 'torn', event.line, null, `the last line was cut off after ${event.bytes} bytes`)
          break
        case 'record': {
          const { record, line } = event
          checkOrder(list, record, line, previousSeq)
          previousSeq = record.seq
          if (record.kind.kind === 'tape_seal')
            seal = { kind: record.kind, line, seq: record.seq, offset: event.offset, text: event.text }
          else records += 1
          if (record.kind.kind === 'gap')
            fault(list, 'gap', line, record.seq, `${record.kind.boundary}: ${record.kind.reason}`)
          for (const payload of payloadsOf(record.kind)) {
            const wrong = checkPayload(payload)
            if (wrong !== null) fault(list, wrong.code, line, record.seq, wrong.message)
          }
        }
      }
    },
    end() {
      if (seal === null) checkUnsealed(list, foreign, options)
      // Lines after the seal are damage; then the part before it is read again.
      else checkSeal(list, seal, chain.upTo(seal.offset) ?? hashUpTo(path, seal.offset), records, options)
      return { ok: list.ok, findings: list.findings, more: list.more, records, sealed: seal !== null }
    },
  }
}

type Seal = {
  readonly kind: Kind<'tape_seal'>
  readonly line: number
  readonly seq: number
  readonly offset: number
  readonly text: string
}

function checkOrder(list: FindingList, record: TapeRecord, line: number, previousSeq: number): void {
  if (record.seq === previousSeq + 1) return
  if (record.seq <= previousSeq)
    fault(list, 'seq-repeat', line, record.seq, `seq ${record.seq} comes after ${previousSeq}`)
  else fault(list, 'seq-jump', line, record.seq, `seq jumps from ${previousSeq} to ${record.seq}`)
}

type Wrong = { readonly code: FindingCode; readonly message: string }

/**
 * Remembers the entries it found good, up to a bound, so that a payload named a thousand times is read once.
 */
function payloadCheck(path: string): (payload: Payload | Chunk) => Wrong | null {
  const good = new Set<ContentHash>()
  return (payload) => {
    switch (payload.form) {
      case 'text':
      case 'base64':
        return null
      case 'inline':
        if (contentHashOfText(payload.text) === payload.contentHash) return null
        return {
          code: 'payload-hash',
          message: `a payload in the line does not have the hash ${payload.contentHash}`,
        }
      case 'cas': {
        if (good.has(payload.contentHash)) return null
        const wrong = checkEntry(path, payload)
        if (wrong === null && good.size < MAX_REMEMBERED) good.add(payload.contentHash)
        return wrong
      }
    }
  }
}

const MAX_REMEMBERED = 50_000

function checkEntry(
  path: string,
  payload: { readonly contentHash: ContentHash; readonly lenBytes: number },
): Wrong | null {
  try {
    checkCasEntry(path, payload.contentHash, payload.lenBytes)
    return null
  } catch (error) {
    if (!isRepriseError(error)) throw error
    const { code, message } = error
    return code === 'cas-missing' || code === 'cas-name'
      ? { code, message }
      : { code: 'cas-mismatch', message }
  }
}

function checkUnsealed(list: FindingList, foreign: boolean, options: VerifyOptions): void {
  if (options.publicKey !== undefined)
    fault(list, 'signature-missing', null, null, 'the tape is not sealed, so it is not signed')
  if (foreign)
    note(
      list,
      'unsealed-foreign',
      'written by another system, which does not seal its tapes: a cut tail cannot be seen',
    )
  else
    fault(
      list,
      'unsealed',
      null,
      null,
      'the tape has no seal: the run was cut off, or the end of the file is missing',
    )
}

function checkSeal(
  list: FindingList,
  seal: Seal,
  chain: ContentHash,
  records: number,
  options: VerifyOptions,
): void {
  const { kind, line, seq, text } = seal
  if (kind.records !== records)
    fault(list, 'seal-count', line, seq, `the seal counts ${kind.records} records, there are ${records}`)
  if (chain !== kind.chain)
    fault(list, 'seal-chain', line, seq, 'the records before the seal are not what was sealed')
  const { check, publicKey } = checkSignature(kind, text)
  if (check === 'bad') fault(list, 'signature-bad', line, seq, 'the signature of the seal does not hold')
  if (options.publicKey === undefined) return
  if (check === 'unsigned') fault(list, 'signature-missing', line, seq, 'the seal is not signed')
  else if (check === 'good' && publicKey !== options.publicKey)
    fault(list, 'signature-other-key', line, seq, 'the seal was signed with another key')
}

function hashUpTo(path: string, offset: number): ContentHash {
  const hash = createBlake3()
  for (const chunk of readChunks(path, offset)) hash.update(chunk)
  return hash.digest()
}

function fault(
  list: FindingList,
  code: FindingCode,
  line: number | null,
  seq: number | null,
  message: string,
): void {
  list.add({ code, severity: 'fault', line, seq, message })
}

function note(list: FindingList, code: FindingCode, message: string): void {
  list.add({ code, severity: 'note', line: null, seq: null, message })
}
