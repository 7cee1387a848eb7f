/**
 * Several changes of a session at once. All files are staged and flushed; then one file, `commit.json`, is
 * renamed into place: that is the commit. The changes are put in place after it, and the file is taken away.
 * The process that finds it after a crash finishes the work first.
 */
import { contentHash, parseJson, textOrNull, utf8 } from '../../../base/index.ts'
import { RepriseError } from '../../../errors/index.ts'
import { createFileIn, type Folder, flush, isIn, readFileIn } from '../../../real/folders.ts'
import { fs } from '../../../real/index.ts'
import type { Change } from '../../contract.ts'
import { stateFault } from '../../fault-points.ts'
import { isVersion } from '../../version.ts'
import { writerFromWire } from '../../writer.ts'
import {
  discard,
  placeChange,
  prepareFolders,
  type StagedFiles,
  stageAndPlace,
  stageChange,
} from './commit.ts'
import { readEntry } from './entries.ts'
import { FILE_MODE, openChain, type SessionFolders } from './places.ts'

const COMMIT_FILE = 'commit.json'
const STAGING = 'staging'

function openStaging(ours: Folder): ReturnType<typeof openChain> {
  return openChain(ours, [STAGING], true)
}

/** One change needs no commit file: the rename of its content is the commit. */
export async function commitChanges(
  folders: SessionFolders,
  changes: readonly Change[],
  name: string,
  historyLimit: number,
): Promise<void> {
  using staging = openStaging(folders.ours)
  if (staging === null) throw new Error('unreachable: the folder was just made')
  // What is deleted makes room for what is put.
  const ordered = [...changes].sort((a, b) => Number(a.kind === 'put') - Number(b.kind === 'put'))
  const [only, another] = ordered
  if (only !== undefined && another === undefined)
    return await stageAndPlace(folders, staging.parent, `${name}.0`, only, historyLimit)
  const staged: StagedFiles[] = []
  try {
    for (const [index, change] of ordered.entries())
      staged.push(await stageChange(staging.parent, `${name}.${index}`, change))
    for (const change of ordered) prepareFolders(folders, change, historyLimit)
    await writeCommit(folders.ours, staging.parent, ordered, name)
    await finishCommit(folders, historyLimit)
  } catch (error) {
    if (hasCommit(folders.ours)) throw unfinished(error)
    for (const files of staged) discard(files)
    throw error
  }
}

function unfinished(cause: unknown): RepriseError {
  return new RepriseError(
    'state-not-durable',
    'agent_state: the transaction is committed, but not all of it is in place',
    {
      cause,
      hint: 'mend the cause; the next access to the session finishes it',
    },
  )
}

export function hasCommit(ours: Folder | null): boolean {
  return ours !== null && isIn(ours, COMMIT_FILE)
}

/**
 * Puts the committed changes in place, from the start or from wherever a crash left them. For the holder of
 * the lock.
 */
export async function finishCommit(folders: SessionFolders, historyLimit: number): Promise<void> {
  const bytes = hasCommit(folders.ours) ? readFileIn(folders.ours, COMMIT_FILE) : null
  if (bytes === null) return
  using staging = openStaging(folders.ours)
  if (staging === null) throw new Error('unreachable: the folder was just made')
  for (const step of decodeCommit(bytes)) {
    const staged: StagedFiles = {
      folder: staging.parent,
      content: step.kind === 'put' ? `${step.name}.content` : null,
      metadata: `${step.name}.json`,
    }
    // A put is done when its staged content is gone: that rename is its last step. A removal can be repeated.
    const content = staged.content === null ? new Uint8Array() : readFileIn(staging.parent, staged.content)
    if (content === null) continue
    const before = readEntry(folders, step.key)
    const change = changeOf(step, content, before)
    if (change !== null) await placeChange(folders, change, staged, { historyLimit, redo: true })
    stateFault('state.transaction-step')
  }
  fs.unlinkSync(folders.ours.at(COMMIT_FILE))
  await flush(folders.ours.fd)
}

type Step = {
  readonly kind: 'put' | 'remove'
  readonly key: string
  readonly name: string
  readonly version: string
}

async function writeCommit(
  ours: Folder,
  staging: Folder,
  changes: readonly Change[],
  name: string,
): Promise<void> {
  const steps = changes.map(
    (change, index): Step => ({
      kind: change.kind,
      key: change.key,
      name: `${name}.${index}`,
      version: change.version,
    }),
  )
  const temp = `${name}.commit`
  stateFault('state.transaction-write')
  const fd = createFileIn(staging, temp, utf8(JSON.stringify({ version: 1, steps })), FILE_MODE)
  try {
    await flush(fd)
    // The staged names must be on disk before the file that counts on them.
    await flush(staging.fd)
    stateFault('state.transaction-commit')
    fs.renameSync(staging.at(temp), ours.at(COMMIT_FILE))
    await flush(ours.fd)
  } catch (error) {
    fs.rmSync(staging.at(temp), { force: true })
    throw error
  } finally {
    fs.closeSync(fd)
  }
  stateFault('state.transaction-committed')
}

/**
 * Writer and time of a change that is finished after a crash are in its staged metadata already; what is
 * rebuilt here only leads it to its place.
 */
function changeOf(step: Step, content: Uint8Array, before: ReturnType<typeof readEntry>): Change | null {
  if (!isVersion(step.version)) throw damaged('a version in it is none')
  const common = { key: step.key, version: step.version, writer: NO_WRITER, updatedAt: 0 }
  if (step.kind === 'put') return { ...common, kind: 'put', content, hash: contentHash(content), before }
  return before === null ? null : { ...common, kind: 'remove', before }
}

const NO_WRITER = writerFromWire({}, null) ?? {
  writerId: null,
  stageId: null,
  sessionId: null,
  workerId: null,
  instance: null,
}

function decodeCommit(bytes: Uint8Array): readonly Step[] {
  let value: unknown
  try {
    value = parseJson(textOrNull(bytes) ?? '')
  } catch (error) {
    throw damaged('not JSON', error)
  }
  const steps: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, 'steps') : undefined
  if (!Array.isArray(steps) || !steps.every(isStep)) throw damaged('no list of steps')
  return steps
}

function isStep(value: unknown): value is Step {
  if (typeof value !== 'object' || value === null) return false
  const texts = ['key', 'name', 'version'].every((field) => typeof Reflect.get(value, field) === 'string')
  const kind: unknown = Reflect.get(value, 'kind')
  return texts && (kind === 'put' || kind === 'remove')
}

function damaged(why: string, cause?: unknown): RepriseError {
  return new RepriseError(
    'state-metadata-damaged',
    `agent_state: the file ${COMMIT_FILE} of an unfinished transaction is damaged: ${why}`,
    {
      cause,
      hint: 'look at it under .agent_state_meta; without it the session opens, and the transaction is lost',
    },
  )
}
