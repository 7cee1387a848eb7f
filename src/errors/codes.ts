/** Every code that a RepriseError can carry. docs/errors.md explains each; a test holds the two together. */
export const errorCodes = [
  // any command, any file
  'usage',
  'not-found',
  'not-a-file',
  'no-permission',
  'io',
  'out-exists',
  'internal',
  // tape
  'tape-empty',
  'tape-header-invalid',
  'tape-header-missing',
  'tape-second-header',
  'tape-version',
  'tape-crlf',
  'tape-not-utf8',
  'tape-line-too-long',
  'tape-line-damaged',
  'tape-record-invalid',
  'tape-after-seal',
  'tape-closed',
  'tape-write-failed',
  'cas-missing',
  'cas-mismatch',
  'cas-name',
  // scrub
  'scrub-rule-invalid',
  'scrub-too-deep',
] as const

export type ErrorCode = (typeof errorCodes)[number]
