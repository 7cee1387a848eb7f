/**
 * What a recording contains, in a few numbers: for the last line of `reprise record`, and for `onSummary` of
 * the library. Children that have tapes of their own are counted from these.
 */
import { fieldsOf, type Json } from '../base/index.ts'
import { isRepriseError } from '../errors/index.ts'
import { childrenFolder, childTapes, sealedChain } from './children-folder.ts'
import { inspectTape, type TapeSummary } from './inspect.ts'

export type RunSummary = {
  readonly tape: string
  /** Without the seal. */
  readonly records: number
  readonly modelCalls: number
  /** Subprocesses that the program started. */
  readonly children: number
  /** Programs that it started in a pseudoterminal. Left out without any. */
  readonly terminals?: number
  /** By name; each once, with its number of records. */
  readonly gaps: readonly { readonly boundary: string; readonly reason: string; readonly count: number }[]
  readonly sealed: boolean
  /** The tapes of children, and of their children. Left out without any. */
  readonly childTapes?: readonly ChildTape[]
  /** Node children without a tape. Left out without any. */
  readonly unrecorded?: readonly string[]
}

export type ChildTape = {
  /** Relative to `<tape>.children/`. */
  readonly name: string
  /** The script and its arguments. */
  readonly program: string
  readonly records: number
  readonly model_calls: number
  readonly gaps: number
  readonly sealed: boolean
}

export function runSummary(tape: string, found: TapeSummary = inspectTape(tape)): RunSummary {
  const gaps = new Map<string, { readonly boundary: string; readonly reason: string; count: number }>()
  for (const { boundary, reason } of found.gaps) {
    const key = `${boundary} ${reason}`
    const known = gaps.get(key)
    if (known === undefined) gaps.set(key, { boundary, reason, count: 1 })
    else known.count += 1
  }
  const children = childSummaries(tape)
  const terminals = found.kinds.terminal_session ?? 0
  return {
    tape,
    records: found.records,
    modelCalls: found.kinds.llm_call ?? 0,
    children: found.kinds.process_spawn ?? 0,
    ...(terminals === 0 ? {} : { terminals }),
    gaps: [...gaps.values()],
    sealed: found.sealed,
    ...(children.length === 0 ? {} : { childTapes: children }),
    ...(found.unrecorded.length === 0 ? {} : { unrecorded: found.unrecorded }),
  }
}

/** Each tape of the tree below a tape. */
export function childSummaries(tape: string): ChildTape[] {
  return childTapes(tape).map(({ path, name }) => {
    try {
      const { records, kinds, gaps, sealed, header } = inspectTape(path)
      const [program, model_calls] = [programText(header), kinds.llm_call ?? 0]
      return { name, program, records, model_calls, gaps: gaps.length, sealed }
    } catch (error) {
      // A child that could not write its header: the disk is full.
      if (!isRepriseError(error)) throw error
      return { name, program: 'unknown', records: 0, model_calls: 0, gaps: 0, sealed: false }
    }
  })
}

const MAX_SHOWN = 60

function programText(header: Json): string {
  const { script, args, exec_args: options } = fieldsOf(fieldsOf(header).program)
  const words = [script === '' ? options : script, args].flat().filter((word) => typeof word === 'string')
  const text = words.join(' ')
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text
}

/** Tapes of children that ended by themselves and have no seal: they were not written whole. */
export function unsealedChildren(tape: string, { children }: TapeSummary): string[] {
  return children.flatMap(({ tape: name, signal }) => {
    const path = `${childrenFolder(tape)}/${name}`
    return signal === null && hasNoSeal(path) ? [path] : []
  })
}

function hasNoSeal(path: string): boolean {
  try {
    return sealedChain(path) === null
  } catch {
    // It is gone, or cannot be read: there is no seal.
    return true
  }
}
