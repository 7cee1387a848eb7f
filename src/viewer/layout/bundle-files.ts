/**
 * The files of a bundle and the parts of an export, by name. The same names serve both: a bundle has them in
 * a folder, an export as elements.
 *
 * | name | what |
 * |---|---|
 * | `viewer.json` | the `ViewerDocument` |
 * | `<item>/index.json`, `rows.bin`, `blocks.bin`, `kinds.bin`, `trigrams.bin` | the index of a tape |
 * | `<item>/tape`, `<item>/cas/<hash>` | the tape and its payloads |
 * | `<item>/cassette.json`, `<item>/output` | a cassette |
 * | `<item>/audit.json` | a journal: document, entries, moments |
 * | `<item>/state.json` | a state folder: sessions, keys, histories with contents |
 * | `comparison.json` | two tapes: document, runs, findings |
 */
export const DOCUMENT_FILE = 'viewer.json'
export const COMPARISON_FILE = 'comparison.json'
export const CASSETTE_FILE = 'cassette.json'
export const OUTPUT_FILE = 'output'
export const AUDIT_FILE = 'audit.json'
export const STATE_FILE = 'state.json'
