/** The version of this package, as it is written into tapes. A test holds it to package.json. */
export const version = '0.1.0'
