/**
 * Checks a tape together with the tapes of its children: each against itself, and against what the tape of its
 * parent contains about it.
 */
import { join } from 'node:path'
import { fieldsOf, isObject } from '../base/index.ts'
import { type ChildSeal, childrenFolder, childTapeNames, hashOfTape, sealedChain } from './children-folder.ts'
import type { Finding } from './findings.ts'
import type { Kind } from './kinds.ts'
import { readTapeEvents } from './reader.ts'
import { type TapeVerdict, type VerifyOptions, verifyTape } from './verify.ts'

type ChildVerdict = TapeVerdict & {
  /** Relative to the folder of the first tape's children. */
  readonly name: string
}

export type TreeVerdict = TapeVerdict & {
  /** Of all children and their children, in the order of the tree. */
  readonly children: readonly ChildVerdict[]
}

/** `ok` counts the whole tree. */
export async function verifyTree(path: string, options: VerifyOptions = {}): Promise<TreeVerdict> {
  const own = await verifyTape(path, options)
  const children: ChildVerdict[] = []
  const missing = await verifyChildren(path, '', children, 0)
  const findings = [...own.findings, ...missing]
  return { ...own, findings, ok: own.ok && missing.length === 0 && children.every(({ ok }) => ok), children }
}

const MAX_DEPTH = 32

/** Adds the verdicts on the children of a tape. Gives the findings about the tape itself. */
async function verifyChildren(
  tape: string,
  prefix: string,
  verdicts: ChildVerdict[],
  depth: number,
): Promise<Finding[]> {
  const names = childTapeNames(tape)
  const { named, seals } = namedChildren(tape)
  const there = new Set(names)
  const missing = [...named]
    .filter(([name]) => !there.has(name))
    .map(([name, seq]) => fault('child-missing', seq, `the tape of a child is missing: ${prefix}${name}`))
  if (depth >= MAX_DEPTH) return missing
  for (const name of names) {
    const path = join(childrenFolder(tape), name)
    const verdict = asSealedByParent(await verifyTape(path), seals[name], path)
    const at = verdicts.length
    const lost = await verifyChildren(path, `${prefix}${name}.children/`, verdicts, depth + 1)
    const findings = [...verdict.findings, ...lost]
    verdicts.splice(at, 0, {
      name: `${prefix}${name}`,
      ...verdict,
      findings,
      ok: verdict.ok && lost.length === 0,
    })
  }
  return missing
}

type Named = {
  /** By name, with the number of the record. */
  readonly named: ReadonlyMap<string, number>
  readonly seals: { readonly [name: string]: ChildSeal | undefined }
}

function namedChildren(tape: string): Named {
  const named = new Map<string, number>()
  let seal: Kind<'tape_seal'> | null = null
  for (const event of readTapeEvents(tape)) {
    if (event.type !== 'record') continue
    const { kind, seq } = event.record
    if (kind.kind === 'process_spawn' && kind.tape !== undefined) named.set(kind.tape, seq)
    if (kind.kind === 'tape_seal') seal = kind
  }
  const seals: Record<string, ChildSeal> = {}
  for (const [name, value] of Object.entries(fieldsOf(seal?.children))) {
    if (isSeal(value)) seals[name] = value
    if (!named.has(name) && seal !== null) named.set(name, seal.records)
  }
  return { named, seals }
}

function isSeal(value: unknown): value is ChildSeal {
  return value === null || typeof value === 'string' || (isObject(value) && typeof value.hash === 'string')
}

/** What the parent knows of it: the seal that it had, or its bytes if it was killed and has none. */
function asSealedByParent(verdict: TapeVerdict, seal: ChildSeal | undefined, path: string): TapeVerdict {
  if (seal === undefined || seal === null) return verdict
  const isSame =
    typeof seal === 'string'
      ? sealedChain(path) === seal
      : verdict.sealed === false && hashOfTape(path) === seal.hash
  if (!isSame) {
    const changed = fault('child-changed', null, 'the tape is not the one that the seal of its parent names')
    return { ...verdict, ok: false, findings: [...verdict.findings, changed] }
  }
  if (typeof seal === 'string') return verdict
  const findings = verdict.findings.map((finding) => (finding.code === 'unsealed' ? KILLED : finding))
  return {
    ...verdict,
    findings,
    ok: findings.every(({ severity }) => severity === 'note') && verdict.more === 0,
  }
}

const KILLED: Finding = {
  code: 'unsealed',
  severity: 'note',
  line: null,
  seq: null,
  message: 'the child was killed and has no seal; the seal of its parent has the hash of its bytes',
}

function fault(code: Finding['code'], seq: number | null, message: string): Finding {
  return { code, severity: 'fault', line: null, seq, message }
}
