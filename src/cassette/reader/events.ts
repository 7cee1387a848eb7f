/** All streams of a cassette as one list in `seq` order. Merging only: gaps and regressions are found by the open checks. */
import type { CassetteEvent, FinalRecord, FrameRecord, InputRecord, OutputRecord, ServiceEventRecord } from '../codec/records.ts'

export type EventStreams = {
  readonly inputs: readonly InputRecord[]
  readonly outputs: readonly OutputRecord[]
  readonly frames: readonly FrameRecord[]
  readonly serviceEvents: readonly ServiceEventRecord[]
  readonly final: FinalRecord
}

export function mergeEvents(streams: EventStreams): readonly CassetteEvent[] {
  const { final } = streams
  const events: CassetteEvent[] = [
    ...streams.inputs.map((input) => ({ seq: input.seq, tMs: input.tMs, kind: 'input', input }) as const),
    ...streams.outputs.map((output) => ({ seq: output.seq, tMs: output.tMs, kind: 'output', output }) as const),
    ...streams.frames.map((frame) => ({ seq: frame.seq, tMs: frame.tMs, kind: 'frame', frame }) as const),
    ...streams.serviceEvents.map((serviceEvent) => ({ seq: serviceEvent.seq, tMs: serviceEvent.tMs, kind: 'service-event', serviceEvent }) as const),
    { seq: final.seq, tMs: final.tMs, kind: 'final', final },
  ]
  return events.sort((a, b) => a.seq - b.seq)
}
