/** The version of this package, as it is written into tapes. */
export { version } from '../base/version.ts'
