/**
 * Secrets that a program reads from a `.env` file: the values of telling names are made known before the content goes to the tape, so that they are found
 * there and wherever they are sent. Other files are taken in as they are, but for known values and keys of a known shape.
 */
import type { Scrubber } from '../../scrub/index.ts'

const DOTENV = /(?:^|[/\\])\.env(?:\.[\w.-]+)?$/
const ASSIGNMENT = /^[ \t]*(?:export[ \t]+)?([A-Za-z_][\w.]*)[ \t]*=[ \t]*(?:"([^"\n]*)"|'([^'\n]*)'|([^#\s]+))/gm
/** A larger one is no list of settings. */
const MAX_BYTES = 1024 * 1024

export function learnFromDotenv(path: string, bytes: Uint8Array, scrubber: Scrubber): void {
  if (!DOTENV.test(path) || bytes.byteLength > MAX_BYTES) return
  for (const [, name = '', double, single, bare] of Buffer.from(bytes).toString('utf8').matchAll(ASSIGNMENT)) {
    // As the variable that it will become: a value under a telling name is known from here on.
    scrubber.env(name, double ?? single ?? bare ?? '')
  }
}
