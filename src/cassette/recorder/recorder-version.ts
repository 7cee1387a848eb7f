/**
 * Marks a cassette that Reprise wrote. Without the mark, a manifest whose digests were removed would pass for
 * a foreign one.
 */
import { version } from '../../base/version.ts'

export const RECORDER_PREFIX = 'reprise/'
export const RECORDER_VERSION: string = `${RECORDER_PREFIX}${version}`
