/**
 * The folders next to a tape that a recording writes to must not be links: a folder from somewhere else, such
 * as a checkout, would choose where the payloads go.
 */
import { RepriseError } from '../errors/index.ts'
import { fs } from '../real/fs.ts'

/** Throws if a folder that belongs to this tape is a link. */
export function refuseLinks(tape: string): void {
  for (const folder of ['.cas', '.cassettes', '.children']) refuseLink(`${tape}${folder}`)
}

export function refuseLink(folder: string): void {
  if (!isLink(folder)) return
  throw new RepriseError('out-exists', `${folder} is a link`, {
    details: { path: folder },
    hint: 'remove it, or choose another --out',
  })
}

export function isLink(path: string): boolean {
  return fs.lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true
}
