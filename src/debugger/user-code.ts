/** Which scripts are the user's own: not Node's, not Reprise's, not installed packages. */
import { fileURLToPath, pathToFileURL } from 'node:url'
import { PAUSE_URL } from '../real/debugger-pause.ts'

const OWN_FOLDER = new URL('../', import.meta.url).href

/**
 * For `Debugger.setBlackboxPatterns`: stepping does not stop in these. Our own pause is not among them: V8
 * ignores a `debugger` statement there.
 */
export const SKIPPED_PATTERNS: readonly string[] = [
  '^node:',
  '^evalmachine',
  // Node's parser of HTTP, our scanner. WebAssembly of the user has no statements to stop at.
  '^wasm:',
  '/node_modules/',
  `^${escaped(OWN_FOLDER)}`,
  `^${escaped(fileURLToPath(OWN_FOLDER))}`,
]

/** For `Debugger.setBreakpointByUrl`: matches the user's scripts. */
export const USER_CODE_PATTERN = `^(?!.*(?:${[...SKIPPED_PATTERNS, `^${PAUSE_URL}`].join('|')})).`

const skipped = SKIPPED_PATTERNS.map((pattern) => new RegExp(pattern))

export function isUserCode(url: string): boolean {
  return url !== '' && url !== PAUSE_URL && !skipped.some((pattern) => pattern.test(url))
}

/** A path for people: without the scheme. */
export function shownUrl(url: string): string {
  return url.startsWith('file://') ? fileURLToPath(url) : url
}

/** CommonJS modules have a path as their URL. */
export function asFileUrl(url: string): string {
  return url.startsWith('/') ? pathToFileURL(url).href : url
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
