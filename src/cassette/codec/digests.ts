/**
 * What `manifest.optional.reprise` holds: the frame scheme, a digest of every other file, and one of the
 * manifest itself.
 *
 * The format's own `content_digest` covers output.raw alone. With these a change of any byte in any file
 * shows. They are unkeyed: they show accidents, not tampering.
 */
import { type Sha256Hex, sha256 } from '../../real/sha256.ts'
import { wireObject } from './index.ts'
import type { JsonObject } from './records.ts'
import type { FrameScheme, WireValue } from './writable.ts'

/** Placeholder for the manifest's own digest while the digest is computed. */
export const NO_DIGEST = '0'.repeat(64)

export type RepriseSection = {
  readonly frames: string
  readonly files: Readonly<Record<string, string>>
  readonly manifest: string
  /** True for a cassette that `repair` made out of a recording that never closed. */
  readonly incomplete: boolean
}

export function readRepriseSection(optional: JsonObject | null): RepriseSection | null {
  if (optional === null || optional.reprise === undefined) return null
  const section = wireObject(optional.reprise, 'optional.reprise')
  const files = section.jsonObject('files') ?? {}
  return {
    frames: section.text('frames'),
    files: Object.fromEntries(
      Object.entries(files).map(([name, digest]) => [name, typeof digest === 'string' ? digest : '']),
    ),
    manifest: section.text('manifest'),
    incomplete: section.flag('incomplete'),
  }
}

export function repriseSection(
  files: Readonly<Record<string, Sha256Hex>>,
  frames: FrameScheme,
  incomplete: boolean,
): { readonly [key: string]: WireValue } {
  return { files, frames, incomplete: incomplete || undefined, manifest: NO_DIGEST as Sha256Hex }
}

/**
 * The digest of a manifest's bytes with its own digest blanked, or null where it does not hold that digest
 * once.
 */
export function manifestDigest(document: string, ownDigest: string): Sha256Hex | null {
  const at = document.lastIndexOf(`"${ownDigest}"`)
  if (ownDigest.length !== NO_DIGEST.length || at === -1) return null
  return sha256(
    Buffer.from(`${document.slice(0, at)}"${NO_DIGEST}"${document.slice(at + ownDigest.length + 2)}`),
  )
}
