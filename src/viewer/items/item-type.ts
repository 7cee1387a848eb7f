/** What a path is: a tape, a cassette, a journal (or a log that can be read as one), or a state folder. */
import { fieldsOf, jsonOf } from '../../base/index.ts'
import { isCassette } from '../../cassette/files/read-folder.ts'
import { isRepriseError, RepriseError, withSystemErrors } from '../../errors/index.ts'
import { openAuditInput } from '../../journal/audit-input.ts'
import { fs } from '../../real/fs.ts'
import { openDriver } from '../../state/open-driver.ts'
import { readHead } from '../../tape/reader.ts'
import type { ViewerItem } from '../protocol/source.ts'

const HEAD_BYTES = 64 * 1024

export async function itemType(path: string): Promise<ViewerItem['type']> {
  if (isFolder(path)) {
    if (isCassette(path)) return 'cassette'
    if (await hasSessions(path)) return 'state'
    throw new RepriseError(
      'view-unknown',
      `${path} is a folder that holds neither a cassette nor the state of a session`,
      {
        details: { path },
        hint: 'name a tape, a cassette, a journal or a state folder',
      },
    )
  }
  const head = readHead(path, HEAD_BYTES).toString('utf8')
  const first = fieldsOf(jsonOf(head.split('\n')[0] ?? ''))
  if (first.type === 'header' || first.type === 'record' || path.endsWith('.tape') || head === '')
    return 'tape'
  try {
    return (await openAuditInput(path, () => undefined)).format === 'tape' ? 'tape' : 'journal'
  } catch (error) {
    if (!isRepriseError(error) || error.code !== 'audit-input') throw error
    throw new RepriseError('view-unknown', `${path} is neither a tape nor a session log`, {
      details: { path },
      hint: 'name a tape, a cassette, a journal or a state folder',
      cause: error,
    })
  }
}

function isFolder(path: string): boolean {
  return withSystemErrors('read', path, () => fs.statSync(path)).isDirectory()
}

async function hasSessions(path: string): Promise<boolean> {
  const driver = await openDriver(path)
  try {
    return (await driver.sessions()).length > 0
  } finally {
    await driver.close()
  }
}
