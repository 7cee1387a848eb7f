/** How a cassette says that Reprise wrote it. With it, a manifest whose digests were cut out does not pass for a foreign one. */
import { createRequire } from 'node:module'

export const RECORDER_PREFIX = 'reprise/'
export const RECORDER_VERSION: string = `${RECORDER_PREFIX}${String(createRequire(import.meta.url)('../../../package.json').version)}`
