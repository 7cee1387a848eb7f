/**
 * The ten files of a version 1 cassette, and what Open asks of each. A folder that holds a manifest is an
 * accepted cassette.
 */
export const CASSETTE_VERSION = 1

export const FILES = {
  manifest: 'manifest.json',
  input: 'input.jsonl',
  raw: 'output.raw',
  output: 'output.jsonl',
  frames: 'frames.jsonl',
  serviceEvents: 'service-events.jsonl',
  final: 'final.json',
  scrubReport: 'scrub-report.json',
  quota: 'quota.json',
  discovery: 'discovery.json',
} as const

export type FileName = (typeof FILES)[keyof typeof FILES]

/** In the order in which their absence is reported. */
export const REQUIRED_FILES: readonly FileName[] = [
  FILES.input,
  FILES.raw,
  FILES.output,
  FILES.frames,
  FILES.serviceEvents,
  FILES.final,
  FILES.scrubReport,
]

export const OPTIONAL_FILES: readonly FileName[] = [FILES.quota, FILES.discovery]

export const FOLDER_MODE = 0o750
export const FILE_MODE = 0o600

/**
 * In a partial folder only: the content of the later manifest, so that `repair` knows the size of the screen and
 * what ran.
 */
export const DRAFT_FILE = 'manifest.partial.json'
