/**
 * A version of a key: `7-3fa9c1d2e4b5a697`, a number that only grows and the start of the content's BLAKE3.
 *
 * The number distinguishes two writes of the same bytes; the hash detects a write that bypassed us
 * (upstream keeps no numbers). A deletion takes a number too, `8-deleted`, so a key that comes back never
 * repeats a version.
 *
 * Decision 0044.
 */
declare const versionBrand: unique symbol
export type Version = string & { readonly [versionBrand]: true }

const HASH_DIGITS = 16
const FORM = /^([1-9]\d{0,15})-([0-9a-f]{16}|deleted)$/

export function versionFrom(number: number, hash: string): Version {
  return `${number}-${hash.slice(0, HASH_DIGITS)}` as Version
}

export function deletionVersion(number: number): Version {
  return `${number}-deleted` as Version
}

export function isVersion(text: string): text is Version {
  return FORM.test(text)
}

export function versionNumber(version: Version): number {
  return Number.parseInt(version, 10)
}

export function isDeletion(version: Version): boolean {
  return version.endsWith('-deleted')
}
