export * from './document-codec.ts'
export * from './frame-codec.ts'
export * from './json-values.ts'
export * from './manifest-codec.ts'
export * from './stream-codec.ts'
export { WireError, wireObject } from './wire-read.ts'

export * from './writable.ts'
