/**
 * Writes events into a new cassette as if they happened again, at the times they happened: how `repair`,
 * `scrub` and `import` make a cassette. So each of them is scanned, rendered, digested and accepted exactly
 * as a recording is.
 */
import type { Scrubber } from '../../scrub/index.ts'
import type {
  DiscoveryRecord,
  FinalRecord,
  InputRecord,
  JsonObject,
  Manifest,
  QuotaRecord,
  ServiceEventRecord,
  Timed,
} from '../codec/records.ts'
import type { ManifestDraft } from './manifest-draft.ts'
import { createRecorder } from './recorder.ts'

export type RebuildEvent =
  | (Timed & { readonly kind: 'input'; readonly input: InputRecord })
  | (Timed & { readonly kind: 'output'; readonly bytes: Uint8Array })
  | (Timed & { readonly kind: 'look' })
  | (Timed & { readonly kind: 'service-event'; readonly serviceEvent: ServiceEventRecord })

export type Rebuild = {
  readonly out: string
  readonly force: boolean
  readonly draft: ManifestDraft
  /** In order. Numbers are given anew, times are kept. */
  readonly events: readonly RebuildEvent[]
  readonly final: Partial<FinalRecord>
  readonly endMs: number
  readonly quota?: QuotaRecord | null
  readonly discovery?: DiscoveryRecord | null
  readonly preserved?: readonly string[]
  readonly scrubber: Scrubber
  readonly incomplete?: boolean
}

export async function rebuildCassette(rebuild: Rebuild): Promise<string> {
  let elapsed = 0
  const recorder = createRecorder(rebuild.out, rebuild.draft, {
    scrubber: rebuild.scrubber,
    force: rebuild.force,
    incomplete: rebuild.incomplete ?? false,
    clock: { now: () => 0, elapsed: () => elapsed },
  })
  try {
    for (const event of rebuild.events) {
      elapsed = Math.max(elapsed, event.tMs)
      switch (event.kind) {
        case 'input':
          recorder.recordInput(inputDraft(event.input))
          break
        case 'output':
          recorder.recordOutput(event.bytes)
          break
        case 'look':
          recorder.markFrame()
          break
        case 'service-event':
          recorder.recordServiceEvent(event.serviceEvent.payload)
          break
      }
    }
    elapsed = Math.max(elapsed, rebuild.endMs)
    if (rebuild.quota) recorder.writeQuota(rebuild.quota)
    if (rebuild.discovery) recorder.writeDiscovery(rebuild.discovery)
    if (rebuild.preserved) recorder.writeScrubReport({ intentionallyPreserved: rebuild.preserved })
    recorder.recordFinal({ ...rebuild.final, durationMs: rebuild.final.durationMs || Math.round(elapsed) })
    return await recorder.close()
  } catch (error) {
    recorder.abandon()
    throw error
  }
}

function inputDraft(input: InputRecord): Parameters<ReturnType<typeof createRecorder>['recordInput']>[0] {
  const kind = input.kind === 'resize' || input.kind === 'signal' ? input.kind : 'input'
  return {
    kind,
    key: input.key,
    signal: input.signal,
    reply: input.reply,
    ...(input.bytes === null ? {} : { bytes: input.bytes }),
    ...(input.size === null || input.size.rows <= 0 || input.size.cols <= 0 ? {} : { size: input.size }),
  }
}

/**
 * The draft of a new manifest from an existing one: everything except the digests and the emulator, which is
 * the one that renders now.
 */
export function draftFrom(manifest: Manifest): ManifestDraft {
  const { emulator: _, ...terminal } = manifest.terminal
  const { recorderVersion: __, ...provenance } = manifest.provenance
  return {
    id: manifest.id,
    harness: manifest.harness,
    command: manifest.command,
    terminal,
    timing: manifest.timing,
    provenance,
    ...(withoutOurs(manifest.optional) === null ? {} : { optional: withoutOurs(manifest.optional) ?? {} }),
  }
}

function withoutOurs(optional: JsonObject | null): JsonObject | null {
  if (optional === null) return null
  const { reprise: _, ...rest } = optional
  return Object.keys(rest).length === 0 ? null : rest
}

/**
 * One frame at the end of each step of time in which something came, one after each resize, one at the end.
 */
export function withLooks(events: readonly RebuildEvent[]): readonly RebuildEvent[] {
  const out: RebuildEvent[] = []
  events.forEach((event, at) => {
    out.push(event)
    const next = events[at + 1]
    const isResize = event.kind === 'input' && event.input.kind === 'resize'
    const endsStep = event.kind === 'output' && (next === undefined || next.tMs > event.tMs)
    if (isResize || endsStep) out.push({ kind: 'look', seq: event.seq, tMs: event.tMs })
  })
  return out
}
