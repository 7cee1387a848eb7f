/**
 * The files of a bundle, one after the other: small documents whole, large files as a path to copy or embed.
 */
import { isContentHash } from '../../base/index.ts'
import { fs } from '../../real/fs.ts'
import type { OpenedAudit } from '../items/audit-item.ts'
import type { OpenViewer } from '../items/open-viewer.ts'
import type { OpenedState } from '../items/state-item.ts'
import {
  AUDIT_FILE,
  CASSETTE_FILE,
  COMPARISON_FILE,
  DOCUMENT_FILE,
  OUTPUT_FILE,
  STATE_FILE,
} from '../layout/bundle-files.ts'
import { INDEX_FILES } from '../layout/metadata.ts'
import type { AuditMoment } from '../protocol/audit.ts'
import type { Capabilities } from '../protocol/source.ts'
import type { StoredAudit } from '../source/range-source.ts'
import type { StateParts } from '../source/state-parts.ts'

export const PARTS = ['payloads', 'terminals', 'search'] as const
export type Part = (typeof PARTS)[number]

export type OutFile = { readonly name: string } & ({ readonly bytes: Uint8Array } | { readonly path: string })

/** So many moments of a journal are stored, evenly spread; the first and the last are among them. */
const MAX_MOMENTS = 500

export async function* filesOf(
  viewer: OpenViewer,
  source: Capabilities['source'],
  without: ReadonlySet<Part>,
): AsyncGenerator<OutFile> {
  const items = viewer.document.items.filter(
    ({ type, parent }) => !(without.has('terminals') && type === 'cassette' && parent !== null),
  )
  const capabilities: Capabilities = { source, follow: false, search: true, left_out: [...without] }
  yield document(DOCUMENT_FILE, { ...viewer.document, items, capabilities })
  if (viewer.comparison !== null) yield document(COMPARISON_FILE, viewer.comparison)
  for (const { id } of items) {
    yield* tapeFiles(viewer, id, without)
    const cassette = viewer.cassettes.get(id)
    if (cassette !== undefined) {
      yield document(`${id}/${CASSETTE_FILE}`, cassette.parts)
      yield { name: `${id}/${OUTPUT_FILE}`, bytes: cassette.output }
    }
    const audit = viewer.audits.get(id)
    if (audit !== undefined) yield document(`${id}/${AUDIT_FILE}`, await storedAudit(audit))
    const state = viewer.states.get(id)
    if (state !== undefined) yield document(`${id}/${STATE_FILE}`, await storedState(state))
  }
}

function document(name: string, value: unknown): OutFile {
  return { name, bytes: Buffer.from(JSON.stringify(value)) }
}

function* tapeFiles(viewer: OpenViewer, id: string, without: ReadonlySet<Part>): Generator<OutFile> {
  const tape = viewer.tapes.get(id)
  if (tape === undefined) return
  const folder = tape.folder()
  const metadata = tape.metadata()
  // Without trigrams a search looks into every line.
  yield document(
    `${id}/${INDEX_FILES.metadata}`,
    without.has('search') ? { ...metadata, segments: [] } : metadata,
  )
  for (const name of [INDEX_FILES.rows, INDEX_FILES.blocks, INDEX_FILES.kinds])
    yield { name: `${id}/${name}`, path: `${folder}/${name}` }
  if (!without.has('search'))
    yield { name: `${id}/${INDEX_FILES.trigrams}`, path: `${folder}/${INDEX_FILES.trigrams}` }
  yield { name: `${id}/tape`, path: tape.path }
  if (without.has('payloads')) return
  const cas = `${tape.path}.cas`
  if (fs.lstatSync(cas, { throwIfNoEntry: false })?.isDirectory() !== true) return
  for (const entry of fs.readdirSync(cas, { withFileTypes: true })) {
    if (entry.isFile() && isContentHash(entry.name))
      yield { name: `${id}/cas/${entry.name}`, path: `${cas}/${entry.name}` }
  }
}

async function storedAudit({ parts, momentAt }: OpenedAudit): Promise<StoredAudit> {
  const last = parts.entries.length - 1
  const count = Math.min(parts.entries.length, MAX_MOMENTS)
  const moments: AuditMoment[] = []
  for (let at = 0; at < count; at += 1)
    moments.push(await momentAt(count < 2 ? last : Math.round((last * at) / (count - 1))))
  return { ...parts, moments }
}

async function storedState({ view }: OpenedState): Promise<StateParts> {
  const document = await view.state()
  const sessions: StateParts['sessions'][number][] = []
  for (const name of document.sessions) {
    const session = await view.stateSession(name)
    const histories: { key: string; versions: Awaited<ReturnType<typeof view.stateHistory>> }[] = []
    for (const { key } of session.keys) histories.push({ key, versions: await view.stateHistory(name, key) })
    sessions.push({ session, histories })
  }
  return { document, sessions }
}
