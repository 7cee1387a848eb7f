/** `fs.rmSync`: a file, or with `recursive` a whole folder. */
import { systemCode } from '../../../errors/index.ts'
import { type PathArgument, pathText } from './arguments.ts'
import type { AttributeFs } from './attribute-fs.ts'
import type { NameFs } from './name-fs.ts'

export type RmOptions = { readonly force?: boolean; readonly recursive?: boolean }

export function createRemove(
  { readdirSync, rmdirSync, unlinkSync }: Pick<NameFs, 'readdirSync' | 'rmdirSync' | 'unlinkSync'>,
  { facts }: AttributeFs,
) {
  const all = (path: string): void => {
    if (!isFolderMode(facts(path, false).mode)) return void unlinkSync(path)
    try {
      rmdirSync(path)
    } catch (error) {
      // As Node does it: what cannot be removed at all (`.`) fails before any of its entries is removed.
      if (!isNotEmpty(error)) throw error
      for (const name of readdirSync(path)) all(`${path}/${String(name)}`)
      rmdirSync(path)
    }
  }

  return (path: PathArgument, options: RmOptions = {}): void => {
    const text = pathText(path)
    try {
      const { mode } = facts(text, false)
      if (isFolderMode(mode) && options.recursive !== true) throw isDirectory(text)
    } catch (error) {
      if (options.force === true && systemCode(error) === 'ENOENT') return
      throw error
    }
    all(text)
  }
}

export function isFolderMode(mode: number): boolean {
  return (mode & 0o170000) === 0o040000
}

function isNotEmpty(error: unknown): boolean {
  return systemCode(error) === 'ENOTEMPTY'
}

function isDirectory(path: string): Error {
  const message = `Path is a directory: rm returned EISDIR (is a directory) ${path}`
  return Object.assign(new Error(message), {
    name: 'SystemError',
    code: 'ERR_FS_EISDIR',
    errno: 21,
    syscall: 'rm',
    path,
  })
}
