/**
 * Everything that the page asks of one journal. The moments are folded where the journal is (server), or were
 * stored (bundle, export).
 */
import type { AuditDocument, AuditEntry, AuditMoment } from '../protocol/audit.ts'
import { WINDOW_ROWS } from '../protocol/rows.ts'
import type { ItemMethods } from '../protocol/source.ts'

export type AuditParts = {
  readonly document: AuditDocument
  readonly entries: readonly AuditEntry[]
}

export type AuditView = ItemMethods<'audit' | 'auditEntries' | 'auditAt'>

export function createAuditView(
  { document, entries }: AuditParts,
  momentAt: (index: number) => Promise<AuditMoment>,
): AuditView {
  return {
    audit: async () => document,
    async auditEntries({ from, count, kinds }) {
      const chosen = kinds === undefined ? entries : entries.filter(({ kind }) => kinds.includes(kind))
      const start = Math.max(0, Math.floor(from))
      return {
        total: chosen.length,
        from: start,
        entries: chosen.slice(start, start + Math.min(count, WINDOW_ROWS)),
      }
    },
    auditAt: (index) => momentAt(Math.max(-1, Math.min(Math.floor(index), entries.length - 1))),
  }
}
