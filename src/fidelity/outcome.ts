/**
 * What is left at the end of a run, whatever way it took: the files as last written, the exit code of the
 * last subprocess, the number of LLM calls. For runs whose way legitimately differs.
 */
import { compareUtf8 } from '../base/index.ts'
import type { RecordKind } from '../tape/kinds.ts'
import type { DivergenceFacts } from './divergence.ts'
import { cut, rustDebug } from './spelling.ts'

type RunSide = 'recorded' | 'replayed'

/** A write is its hash, a deletion null; a path that was not touched is undefined. */
type FileState = { recorded: string | null | undefined; replayed: string | null | undefined }

export class Outcomes {
  /** One map for both runs: equal ends share their strings. */
  readonly #files = new Map<string, FileState>()
  readonly #exit: { recorded: number | null; replayed: number | null } = { recorded: null, replayed: null }
  readonly #calls = { recorded: 0, replayed: 0 }

  add(side: RunSide, kind: RecordKind): void {
    if (kind.kind === 'file_write') this.#touch(side, kind.path, kind.contentHash)
    else if (kind.kind === 'file_delete') this.#touch(side, kind.path, null)
    else if (kind.kind === 'process_spawn') this.#exit[side] = kind.exitCode
    else if (kind.kind === 'llm_call') this.#calls[side] += 1
  }

  #touch(side: RunSide, path: string, state: string | null): void {
    const known = this.#files.get(path)
    const other = side === 'recorded' ? known?.replayed : known?.recorded
    const shared = other === state ? other : state
    if (known === undefined)
      this.#files.set(path, { recorded: undefined, replayed: undefined, [side]: shared })
    else known[side] = shared
  }

  divergences(): DivergenceFacts[] {
    const found: DivergenceFacts[] = []
    if (this.#filesDiffer()) found.push(this.#fileFacts())
    const { recorded: exit, replayed: otherExit } = this.#exit
    if (exit !== otherExit)
      found.push(
        outcome(
          'outcome_exit_code',
          'last subprocess exit code',
          exit,
          otherExit,
          rustDebug(exit),
          rustDebug(otherExit),
        ),
      )
    const { recorded: calls, replayed: otherCalls } = this.#calls
    if (calls !== otherCalls)
      found.push(
        outcome('outcome_llm_call_count', 'LLM call count', calls, otherCalls, `${calls}`, `${otherCalls}`),
      )
    return found
  }

  #filesDiffer(): boolean {
    for (const { recorded, replayed } of this.#files.values()) if (recorded !== replayed) return true
    return false
  }

  /**
   * The sentence names every path that was touched, as upstream's does; the data name the files that differ.
   */
  #fileFacts(): DivergenceFacts {
    const paths = (side: RunSide): string[] =>
      [...this.#files]
        .filter(([, state]) => state[side] !== undefined)
        .map(([path]) => path)
        .sort(compareUtf8)
    const differing = [...this.#files]
      .filter(([, { recorded, replayed }]) => recorded !== replayed)
      .sort(([a], [b]) => compareUtf8(a, b))
    const ends = (side: RunSide): { [path: string]: string | null } =>
      Object.fromEntries(
        differing.slice(0, MAX_FILES).map(([path, state]) => [cut(path, 1000), describe(state[side])]),
      )
    const spelled = [cut(rustDebug(paths('recorded'))), cut(rustDebug(paths('replayed')))] as const
    return outcome('outcome_fs_diff', 'final FS write set', ends('recorded'), ends('replayed'), ...spelled)
  }
}

const MAX_FILES = 20

function describe(state: string | null | undefined): string | null {
  if (state === undefined) return null
  return state === null ? 'deleted' : state
}

function outcome(
  category: string,
  thing: string,
  expected: DivergenceFacts['expected'],
  actual: DivergenceFacts['actual'],
  recorded: string,
  replay: string,
): DivergenceFacts {
  return {
    seq: null,
    category,
    code: 'outcome',
    path: null,
    expected,
    actual,
    payload: null,
    words: { form: 'diverged', thing, recorded, replay },
  }
}
