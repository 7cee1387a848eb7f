/**
 * The version of this package, as it is written into tapes and cassettes. A test holds it to package.json.
 */
export const version = '0.2.0'
