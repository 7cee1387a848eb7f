/** A state folder as the viewer shows it: read through its driver, never written. */
import { isUtf8 } from '../../base/index.ts'
import { isRepriseError } from '../../errors/index.ts'
import type { StateDriver } from '../../state/contract.ts'
import { decodeHandoff } from '../../state/handoff.ts'
import { HANDOFF_KEY } from '../../state/keys.ts'
import { openDriver } from '../../state/open-driver.ts'
import { type Writer, writerName } from '../../state/writer.ts'
import type { Content } from '../protocol/details.ts'
import type { ItemMethods } from '../protocol/source.ts'
import type { StateHandoff, StateKey, StateOwner } from '../protocol/state.ts'

type StateView = ItemMethods<'state' | 'stateSession' | 'stateHistory'>
export type OpenedState = { readonly view: StateView; close(): Promise<void> }

const MAX_KEYS = 2000
/** A larger content is shown by its beginning. */
const MAX_CONTENT_BYTES = 256 * 1024

export async function openStateItem(path: string): Promise<OpenedState> {
  const driver = await openDriver(path)
  return {
    close: () => driver.close(),
    view: {
      state: async () => ({
        path,
        backend: driver.backend,
        sessions: await driver.sessions(),
        findings: { findings: [], more: 0 },
      }),
      async stateSession(session) {
        const all = await driver.list(session)
        const keys: StateKey[] = []
        for (const key of all.slice(0, MAX_KEYS)) {
          const entry = await driver.read(session, key)
          if (entry === null) continue
          keys.push({
            key,
            version: entry.version,
            sizeBytes: entry.content.byteLength,
            owner: ownerOf(entry.writer),
            updatedAt: entry.updatedAt,
            versions: (await driver.history(session, key)).length,
          })
        }
        return {
          session,
          keys,
          keysMore: Math.max(0, all.length - MAX_KEYS),
          ...(await handoffOf(driver, session)),
        }
      },
      async stateHistory(session, key) {
        const history = await driver.history(session, key)
        return await Promise.all(
          history.map(async ({ version, deleted, sizeBytes, writer, updatedAt }) => {
            const content = deleted ? null : await driver.readVersion(session, key, version)
            return {
              version,
              deleted,
              sizeBytes,
              owner: ownerOf(writer),
              updatedAt,
              content: content === null ? null : contentOf(content),
            }
          }),
        )
      },
    },
  }
}

function ownerOf(writer: Writer | null): StateOwner | null {
  if (writer === null) return null
  const { writerId, stageId, workerId, instance } = writer
  return { name: writerName(writer), writerId, stageId, workerId, instance }
}

function contentOf(bytes: Uint8Array): Content {
  const head = Buffer.from(bytes.subarray(0, MAX_CONTENT_BYTES))
  if (!isUtf8(bytes)) return { form: 'bytes', base64: head.toString('base64') }
  const cut =
    bytes.byteLength > MAX_CONTENT_BYTES ? `\n… (${bytes.byteLength - MAX_CONTENT_BYTES} more bytes)` : ''
  return { form: 'text', text: head.toString('utf8') + cut }
}

async function handoffOf(
  driver: StateDriver,
  session: string,
): Promise<{ readonly handoff: StateHandoff | null; readonly handoffProblem: string | null }> {
  const entry = await driver.read(session, HANDOFF_KEY)
  if (entry === null) return { handoff: null, handoffProblem: null }
  try {
    const { handoff, summary, writer, writtenAt } = decodeHandoff(new TextDecoder().decode(entry.content))
    return {
      handoff: {
        source: handoff?.source ?? null,
        target: handoff?.target ?? null,
        task: handoff?.task ?? null,
        reason: handoff?.reason ?? null,
        evidence: handoff?.evidence ?? [],
        openQuestions: handoff?.openQuestions ?? [],
        summaryJson: JSON.stringify(summary, null, 2),
        owner: ownerOf(writer),
        writtenAt,
      },
      handoffProblem: null,
    }
  } catch (error) {
    if (isRepriseError(error)) return { handoff: null, handoffProblem: error.message }
    throw error
  }
}
