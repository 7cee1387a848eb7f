/**
 * The manifest as it may be written: names as received text, the command line and everything free as what was
 * sent.
 */
import type { ScrubbedText, Scrubber } from '../../scrub/index.ts'
import { manifestDocument, writableJson } from '../codec/index.ts'
import type { JsonObject, Manifest } from '../codec/records.ts'
import type { WireValue } from '../codec/writable.ts'

export function manifestText(
  manifest: Manifest,
  scrubber: Scrubber,
  ours: { readonly [key: string]: WireValue },
): ScrubbedText {
  const json = (value: JsonObject | null): WireValue =>
    value === null ? null : writableJson(scrubber, value, 'sent')
  const { capability, ...harness } = manifest.harness
  const { ptyMode, ...terminal } = manifest.terminal
  const { optional, ...rest } = manifest
  const scrubbed = scrubber.value({ ...rest, harness, terminal, contentDigest: null }, 'received')
  return manifestDocument({
    ...scrubbed,
    // Digests are ours, of scrubbed bytes.
    contentDigest: { sha256: manifest.contentDigest.sha256 as ScrubbedText },
    harness: { ...scrubbed.harness, capability: json(capability) },
    command: { ...scrubbed.command, argv: scrubber.argv(manifest.command.argv) },
    terminal: { ...scrubbed.terminal, ptyMode: json(ptyMode) },
    optional: {
      ...(optional === null ? {} : (json(optional) as { readonly [key: string]: WireValue })),
      ...ours,
    },
  })
}
