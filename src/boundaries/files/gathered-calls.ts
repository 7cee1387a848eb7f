/**
 * Calls that return many values, or an object made of a file: `glob`, `openAsBlob`. Their results are
 * collected first and are one answer.
 */
import { Blob } from 'node:buffer'
import type { Json } from '../../base/index.ts'
import { realFilePromises, realFiles } from '../../real/files.ts'
import type { AnyFunction } from '../patches.ts'
import { fsCall, resultOf } from './calls.ts'
import type { Describe } from './described.ts'
import { describeCall, isCapturedFile, namedFile, optionOf } from './described.ts'
import { direntFrom, direntJson, isDirent, nameFrom, nameJson } from './shapes.ts'
import { contentOf } from './whole-file.ts'

export const describeGlob: Describe = (files, args, callee) => {
  const [pattern, options] = args
  const patterns = Array.isArray(pattern) ? pattern : [pattern]
  const folder = namedFile(files, optionOf(options, 'cwd') ?? '.')
  if (
    folder === null ||
    !patterns.every((each) => typeof each === 'string') ||
    !isCapturedFile(files, folder, false, callee)
  )
    return null
  const dirents = optionOf(options, 'withFileTypes') === true
  const base = folder.absolute
  return describeCall(files, 'glob', [folder], args, {
    also: dirents ? [...patterns, { dirents }] : patterns,
    answer: (value) =>
      fsCall(
        { name: 'glob', path: folder.portable },
        (Array.isArray(value) ? value : []).map(
          (each: unknown): Json => (isDirent(each) ? direntJson(each, base) : nameJson(each)),
        ),
      ),
    value: (answer) => {
      const found = resultOf(answer)
      return Array.isArray(found)
        ? found.map((each) => (Array.isArray(each) ? direntFrom(each, base) : nameFrom(each)))
        : []
    },
  })
}

/** `promises.glob` is an iterator; all its values, as a list. */
export async function globbed(...args: unknown[]): Promise<unknown[]> {
  const found: unknown[] = []
  for await (const each of realFilePromises.glob?.(...args) ?? []) found.push(each)
  return found
}

/**
 * A blob over the current bytes of the file. Node's reads them on demand; a file that changes meanwhile makes
 * it fail.
 */
export const describeOpenAsBlob: Describe = (files, args, callee) => {
  const file = namedFile(files, args[0])
  if (file === null || !isCapturedFile(files, file, false, callee)) return null
  const type = optionOf(args[1], 'type')
  const blobOf = (bytes: Uint8Array): Blob => new Blob([bytes], typeof type === 'string' ? { type } : {})
  return describeCall(files, 'openAsBlob', [file], [args[0]], {
    answer: (value) => ({
      type: 'file_read',
      path: file.portable,
      bytes: value instanceof Uint8Array ? value : new Uint8Array(),
    }),
    value: (answer) => blobOf(contentOf(answer)),
    recorded: (value) => blobOf(value instanceof Uint8Array ? value : new Uint8Array()),
  })
}

export const readForBlob: AnyFunction = (path: unknown) => realFiles.readFileSync?.(path)
export const readForBlobLater: AnyFunction = (path: unknown) => realFilePromises.readFile?.(path)
