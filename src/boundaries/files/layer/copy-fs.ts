/** `fs.cpSync`: files, links and, with `recursive`, folders; the options of Node. */

import { dirname, resolve } from 'node:path'
import { systemCode } from '../../../errors/index.ts'
import { type PathArgument, pathText } from './arguments.ts'
import type { AttributeFs } from './attribute-fs.ts'
import type { StatFacts } from './attributes.ts'
import { systemError } from './failure.ts'
import type { NameFs } from './name-fs.ts'
import { isFolderMode, type RmOptions } from './remove-fs.ts'

export type CpOptions = {
  readonly dereference?: boolean
  readonly errorOnExist?: boolean
  readonly filter?: (source: string, destination: string) => boolean
  readonly force?: boolean
  readonly mode?: number
  readonly preserveTimestamps?: boolean
  readonly recursive?: boolean
  readonly verbatimSymlinks?: boolean
}

export function createCopy(
  names: NameFs,
  attributes: AttributeFs,
  rm: (path: string, options?: RmOptions) => void,
) {
  const factsOrNull = (path: string): StatFacts | null => {
    try {
      return attributes.facts(path, false)
    } catch (error) {
      if (systemCode(error) === 'ENOENT') return null
      throw error
    }
  }

  const copy = (from: string, to: string, options: CpOptions): void => {
    if (options.filter !== undefined && !options.filter(from, to)) return
    const source = attributes.facts(from, options.dereference === true)
    const target = factsOrNull(to)
    check(from, to, source, target, options)
    if (isFolderMode(source.mode)) return void copyFolder(from, to, source, target, options)
    if (target !== null && options.force === false) {
      if (options.errorOnExist === true) throw refused('ERR_FS_CP_EEXIST', 'target already exists', to)
      return
    }
    if (isLink(source)) return void copyLink(from, to, target, options)
    if (target !== null) names.unlinkSync(to)
    names.copyFileSync(from, to, options.mode)
    if (options.preserveTimestamps === true)
      attributes.utimesSync(to, Number(source.atimeNs) / 1e9, Number(source.mtimeNs) / 1e9)
  }

  /** By inodes, because links may lead back into what is copied. */
  const needOutside = (source: StatFacts, to: string): void => {
    for (let at = resolve(to), above = dirname(at); above !== at; at = above, above = dirname(at)) {
      const folder = attributes.existsSync(above) ? attributes.facts(above, true) : null
      if (folder?.ino === source.ino && folder.dev === source.dev)
        throw refused('ERR_FS_CP_EINVAL', 'cannot copy to a subdirectory of self', to)
    }
  }

  const copyLink = (from: string, to: string, target: StatFacts | null, options: CpOptions): void => {
    const written = String(attributes.readlinkSync(from))
    if (target !== null && isLink(target)) rm(to)
    names.symlinkSync(options.verbatimSymlinks === true ? written : resolve(dirname(from), written), to)
  }

  const copyFolder = (
    from: string,
    to: string,
    source: StatFacts,
    target: StatFacts | null,
    options: CpOptions,
  ): void => {
    if (target === null) names.mkdirSync(to, { recursive: true })
    for (const name of names.readdirSync(from))
      copy(`${from}/${String(name)}`, `${to}/${String(name)}`, options)
    if (target === null) attributes.chmodSync(to, source.mode & 0o7777)
  }

  return (from: PathArgument, to: PathArgument, options: CpOptions = {}): void => {
    const [source, target] = [pathText(from), pathText(to)]
    const facts = factsOrNull(source)
    if (facts === null) throw systemError('ENOENT', 'cp', source, target)
    check(source, target, facts, factsOrNull(target), options)
    if (isFolderMode(facts.mode)) needOutside(facts, target)
    const parent = dirname(resolve(target))
    if (!attributes.existsSync(parent)) names.mkdirSync(parent, { recursive: true })
    copy(source, target, options)
  }
}

function check(
  from: string,
  to: string,
  source: StatFacts,
  target: StatFacts | null,
  options: CpOptions,
): void {
  if (target !== null && target.ino === source.ino && target.dev === source.dev)
    throw refused('ERR_FS_CP_EINVAL', 'src and dest cannot be the same', to)
  if (!isFolderMode(source.mode)) {
    if (target === null || !isFolderMode(target.mode)) return
    throw refused('ERR_FS_CP_NON_DIR_TO_DIR', 'cannot overwrite directory with non-directory', to)
  }
  if (options.recursive !== true)
    throw refused('ERR_FS_EISDIR', 'Recursive option not enabled, cannot copy a directory', from)
  if (target !== null && !isFolderMode(target.mode))
    throw refused('ERR_FS_CP_DIR_TO_NON_DIR', 'cannot overwrite non-directory with directory', to)
  if (`${resolve(to)}/`.startsWith(`${resolve(from)}/`))
    throw refused('ERR_FS_CP_EINVAL', 'cannot copy to a subdirectory of self', to)
}

function isLink(facts: StatFacts): boolean {
  return (facts.mode & 0o170000) === 0o120000
}

function refused(code: string, why: string, path: string): Error {
  return Object.assign(new Error(`${code}: ${why} ${path}`), { name: 'SystemError', code, path })
}
