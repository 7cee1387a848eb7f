/**
 * Whether a statement of SQL makes SQLite open another file: `ATTACH`, `VACUUM INTO`. A database in memory is
 * no input until then.
 */

/** Texts and quoted names; comments. */
const QUOTED = /('(?:[^']|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\])|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/g

export function opensFile(sql: unknown): boolean {
  if (typeof sql !== 'string') return false
  const bare = sql.replace(QUOTED, (_all, quoted: string | undefined) => (quoted === undefined ? ' ' : ' _ '))
  return (
    /(?:^|;)\s*(?:explain\s+(?:query\s+plan\s+)?)?attach\b/i.test(bare) ||
    /\bvacuum\b[^;]*\binto\b/i.test(bare)
  )
}
