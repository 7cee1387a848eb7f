/**
 * Records one event of a model job, as Harn's newer versions do: the event scrubbed, in canonical JSON,
 * next to the five names that a reader needs and the digests of its assets. Nothing is scrubbed or hashed
 * when no recorder is active.
 */
import { type ContentHash, isObject, type JsonObject, listOf } from '../base/index.ts'
import type { Scrubber } from '../scrub/index.ts'
import { canonicalScrubbed, scrubbedUtf8 } from '../scrub/scrubbed-parts.ts'
import { activeRecorder } from './active-recorder.ts'

export function recordModelJob(event: JsonObject, scrubber: Scrubber): void {
  const recorder = activeRecorder()
  if (recorder === null) return
  const before = scrubber.hits
  const bytes = scrubbedUtf8(canonicalScrubbed(scrubber.value(event, 'received')))
  const name = (field: string) =>
    scrubber.text(typeof event[field] === 'string' ? event[field] : '', 'received')
  recorder.record(
    {
      kind: 'model_job',
      jobId: name('job_id'),
      requestId: name('request_id'),
      backend: name('backend'),
      state: name('state'),
      eventKind: name('kind'),
      event: recorder.payloadFromBytes(bytes),
      assetDigests: assetDigests(event),
    },
    scrubber.hits - before,
  )
}

const ASSET_URI = 'asset://sha256/'

/** Sorted, each once. A text that is no digest stays in the event only. */
function assetDigests(event: JsonObject): readonly ContentHash[] {
  const ofAssets = listOf(event.assets).map((asset: unknown) => {
    if (!isObject(asset)) return undefined
    if (typeof asset.sha256 === 'string') return asset.sha256
    return typeof asset.uri === 'string' && asset.uri.startsWith(ASSET_URI)
      ? asset.uri.slice(ASSET_URI.length)
      : undefined
  })
  return [...new Set([...ofAssets, event.asset_digest].filter(isDigest))].sort()
}

function isDigest(value: unknown): value is ContentHash {
  return typeof value === 'string' && /^(?:[a-z0-9]+:)?[0-9a-f]{64}$/.test(value)
}
