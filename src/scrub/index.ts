export { createScrubber, type ScrubOptions, type UserRules } from './create-scrubber.ts'
export { holdsPlaceholder, isPlaceholder, normalisePlaceholders } from './placeholder.ts'
export type { Scrubbed, ScrubbedBytes, ScrubbedJson, ScrubbedText } from './scrubbed.ts'
export type {
  BodyEnd,
  BodyHead,
  BodyScrubber,
  FoundSpans,
  Scrubber,
  ScrubReport,
  Side,
  StreamScrubber,
} from './scrubber.ts'
export type { UserPattern } from './user-rules.ts'
