/**
 * The contract between the viewer's page and the files it shows: types, and two small codecs (page locations,
 * HTTP paths).
 *
 * Plain data only. No Node, no DOM: the page, the server and the readers all import it. Every text in these
 * documents may come from a hostile tape. Show it as text.
 */
export type * from './protocol/audit.ts'
export { BOOT_ELEMENT_ID, PART_ATTRIBUTE, parseBoot } from './protocol/boot.ts'
export type * from './protocol/comparison.ts'
export type * from './protocol/details.ts'
export type * from './protocol/findings.ts'
export { formatLocation, parseLocation, type ViewerLocation } from './protocol/location.ts'
export type * from './protocol/overview.ts'
export type * from './protocol/rows.ts'
export { LANES, WINDOW_ROWS } from './protocol/rows.ts'
export type * from './protocol/source.ts'
export type * from './protocol/state.ts'
export type * from './protocol/terminal.ts'
export * from './protocol/transport.ts'
