export { createScrubber, type ScrubOptions, type UserRules } from './create-scrubber.ts'
export { holdsPlaceholder, isPlaceholder, normalisePlaceholders } from './placeholder.ts'
export { fromDisk, ownWords, type Scrubbed, type ScrubbedBytes, type ScrubbedJson, type ScrubbedText } from './scrubbed.ts'
export type { Scrubber, ScrubReport, Side, StreamScrubber } from './scrubber.ts'
