export { fromDisk, type Scrubbed, type ScrubbedBytes, type ScrubbedText } from './scrubbed.ts'
export type { Scrubber, ScrubReport, Side, StreamScrubber } from './scrubber.ts'
