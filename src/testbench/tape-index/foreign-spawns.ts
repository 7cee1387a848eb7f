/**
 * Subprocesses on a tape that is not ours, or was made from a process tape: a `process_spawn` and nothing
 * else. They have output and an end, and no order among other records. They are matched by program, arguments
 * and working directory, and served as soon as they are requested.
 */
import { type Label, label } from '../../base/index.ts'
import type { Answer, Outcome } from '../../boundaries/session.ts'
import type { Scrubber } from '../../scrub/index.ts'
import type { Kind } from '../../tape/index.ts'
import type { TapePayloads } from '../../tape/tape-payloads.ts'
import { type SpawnKey, spawnKey } from '../keys/spawn-key.ts'
import { answerOf } from '../records/answers.ts'
import type { ForeignSpawn } from './foreign-spawn.ts'

export class ForeignSpawns {
  readonly #byKey = new Map<string, ForeignSpawn[]>()
  readonly #payloads: TapePayloads

  constructor(spawns: readonly ForeignSpawn[], scrubber: Scrubber, payloads: TapePayloads) {
    this.#payloads = payloads
    for (const spawn of spawns) {
      const { key } = spawnKey(spawn.kind, scrubber)
      const known = this.#byKey.get(key)
      if (known === undefined) this.#byKey.set(key, [spawn])
      else known.push(spawn)
    }
  }

  take({ key, anywhere }: SpawnKey): ForeignSpawn | null {
    return this.#byKey.get(key)?.shift() ?? this.#byKey.get(anywhere)?.shift() ?? null
  }

  answer({ kind }: ForeignSpawn): Answer {
    return answerOf(kind, this.#payloads)
  }

  outcomes({ kind }: ForeignSpawn, stdio: readonly string[]): readonly Outcome[] {
    return spawnOutcomes(kind, stdio, this.#payloads)
  }

  left(): readonly ForeignSpawn[] {
    return [...this.#byKey.values()].flat().sort((a, b) => a.seq - b.seq)
  }
}

/** The outcomes of a running child, in turn. Only the streams that are pipes are included. */
export function spawnOutcomes(
  kind: Kind<'process_spawn'>,
  stdio: readonly string[],
  payloads: TapePayloads,
): readonly Outcome[] {
  const outcomes: Outcome[] = []
  for (const [at, payload] of [[1, kind.stdoutPayload] as const, [2, kind.stderrPayload] as const]) {
    const use = stdio[at]
    if (use !== 'pipe' && use !== 'copied') continue
    const stream = label(at === 1 ? 'stdout' : 'stderr')
    const bytes = payloads(payload)
    if (bytes.byteLength > 0) outcomes.push({ type: 'chunk', bytes, stream })
    outcomes.push({ type: 'end', trailers: [], stream })
  }
  const signal: Label | null = kind.signal ?? null
  // Harn writes −1 for a signal without its name; a program sees the status that a shell would see.
  outcomes.push({ type: 'exit', code: signal === null ? kind.exitCode & 0xff : 0, signal })
  return outcomes
}
