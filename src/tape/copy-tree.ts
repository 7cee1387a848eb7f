/** Makes room for the copy of a tape with its children: nothing is written if a tape is there already. */
import { resolve } from 'node:path'
import { fromSystemError, RepriseError } from '../errors/index.ts'
import { fs } from '../real/fs.ts'
import { childrenFolder } from './children-folder.ts'
import { removeTape } from './writer.ts'

/** With `force` an existing tape is removed, with all that belongs to it. */
export function prepareCopy(source: string, out: string, force: boolean): void {
  if (resolve(source) === resolve(out))
    throw new RepriseError('usage', 'a tape with children cannot be replaced by its own copy', {
      hint: 'choose another --out',
    })
  try {
    if (force) removeTape(out)
  } catch (error) {
    throw fromSystemError(error, 'replace', out)
  }
  for (const path of [out, childrenFolder(out)]) {
    if (!fs.existsSync(path)) continue
    throw new RepriseError('out-exists', `${path} is there already`, {
      details: { path },
      hint: 'choose another --out, or use --force to replace it',
    })
  }
}
