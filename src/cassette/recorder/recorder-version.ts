/**
 * How a cassette says that Reprise wrote it. With it, a manifest whose digests were cut out does not pass for
 * a foreign one.
 */
import { version } from '../../base/version.ts'

export const RECORDER_PREFIX = 'reprise/'
export const RECORDER_VERSION: string = `${RECORDER_PREFIX}${version}`
