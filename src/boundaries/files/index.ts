/**
 * Files: every function of `node:fs` and `fs.promises`, with one description each. Streams, `readline` over a
 * file and libraries need no code here: they call the functions that are patched here.
 */
import {
  filesOwners,
  realFilePromises,
  realFiles,
  realpathNative,
  realpathNativeSync,
} from '../../real/files.ts'
import { isOwnFileCall } from '../../real/fs.ts'
import { activeSession } from '../context.ts'
import { type AnyFunction, disguise, type Patch, patchFunction } from '../patches.ts'
import { askingFirst, askingFirstPromised, requestedFilter } from './copy-filter.ts'
import type { Describe } from './described.ts'
import {
  describeClose,
  describeDescriptorCall,
  describeFstat,
  describeFtruncate,
  describeOpen,
  describeRead,
  describeReadv,
  describeWrite,
  describeWritev,
} from './descriptor-calls.ts'
import { asPromise, atOnce, calledBack, type InvokeCallback } from './flavours.ts'
import { describeOpendir, readWholeFolder, readWholeFolderLater } from './folder-stream.ts'
import { describeGlob, describeOpenAsBlob, globbed, readForBlob, readForBlobLater } from './gathered-calls.ts'
import { handlePatches } from './handle-patches.ts'
import { describePathCall, describeSymlink, pathCallNames } from './path-calls.ts'
import { unwatchFileFor, watchedEvents, watchFileFor, watchFor } from './watching.ts'
import { describeReadFile, describeWriteFile, signalOf } from './whole-file.ts'

const descriptions: { readonly [name: string]: Describe } = {
  ...Object.fromEntries(pathCallNames.map((name) => [name, describePathCall(name)])),
  symlink: describeSymlink,
  readFile: describeReadFile,
  writeFile: describeWriteFile('writeFile'),
  appendFile: describeWriteFile('appendFile'),
  open: describeOpen,
  close: describeClose,
  read: describeRead,
  readv: describeReadv,
  write: describeWrite,
  writev: describeWritev,
  fstat: describeFstat,
  ftruncate: describeFtruncate,
  ...Object.fromEntries(
    ['fsync', 'fdatasync', 'fchmod', 'fchown', 'futimes'].map((name) => [name, describeDescriptorCall(name)]),
  ),
}

/** The one callback without an error. */
const existsLater: AnyFunction = (path: unknown, callback: AnyFunction) =>
  realFiles.exists?.(path, (value: unknown) => callback(null, value))

/** Callbacks that also get the buffer, or no error. */
const invokers: { readonly [name: string]: InvokeCallback } = {
  exists: (callback, _error, value) => callback(value === true),
  ...Object.fromEntries(['read', 'write', 'readv', 'writev'].map((name) => [name, invokeWithBuffer])),
}

function invokeWithBuffer(...[callback, error, value, { args }]: Parameters<InvokeCallback>): void {
  if (error === null) callback(null, value, args[1])
  else callback(error)
}

export function filesPatches(): Patch[] {
  const { fs, promises } = filesOwners
  const there = (owner: object, name: string): boolean => typeof Reflect.get(owner, name) === 'function'
  const patches: Patch[] = []
  for (const [name, describe] of Object.entries(descriptions)) {
    const sync = realFiles[`${name}Sync`]
    const later = realFiles[name]
    const promise = realFilePromises[name]
    if (name === 'realpath' || name === 'cp') continue
    if (sync !== undefined && there(fs, `${name}Sync`))
      patches.push(patchFunction(fs, `${name}Sync`, atOnce(name, describe, sync)))
    if (later !== undefined && there(fs, name))
      patches.push(
        patchFunction(
          fs,
          name,
          calledBack(name, describe, name === 'exists' ? existsLater : later, invokers[name]),
        ),
      )
    if (promise !== undefined && there(promises, name) && !BY_HANDLE.has(name))
      patches.push(patchFunction(promises, name, asPromise(name, describe, promise)))
  }
  return [
    ...patches,
    ...realpathPatches(),
    ...copyPatches(),
    ...folderPatches(),
    ...gatheredPatches(),
    ...watchPatches(),
    ...handlePatches(descriptions),
    ...tempPatches(),
  ]
}

/** Functions of `fs.promises` that take or return a handle. */
const BY_HANDLE = new Set(['open', 'readFile', 'writeFile', 'appendFile'])

/** `realpath` has a second function as a property. */
function realpathPatches(): Patch[] {
  const { fs, promises } = filesOwners
  const describe = describePathCall('realpath')
  const withNative =
    (made: (original: AnyFunction) => AnyFunction, native: (original: AnyFunction) => AnyFunction) =>
    (original: AnyFunction) => {
      const standIn = made(original)
      const originalNative: unknown = Reflect.get(original, 'native')
      if (typeof originalNative !== 'function') return standIn
      const value = disguise(native(originalNative as AnyFunction), originalNative as AnyFunction)
      return Object.defineProperty(standIn, 'native', {
        ...Object.getOwnPropertyDescriptor(original, 'native'),
        value,
      })
    }
  const [sync, later, promise] = [realFiles.realpathSync, realFiles.realpath, realFilePromises.realpath]
  if (sync === undefined || later === undefined || promise === undefined) return []
  return [
    patchFunction(
      fs,
      'realpathSync',
      withNative(atOnce('realpath', describe, sync), atOnce('realpath', describe, realpathNativeSync)),
    ),
    patchFunction(
      fs,
      'realpath',
      withNative(calledBack('realpath', describe, later), calledBack('realpath', describe, realpathNative)),
    ),
    patchFunction(promises, 'realpath', asPromise('realpath', describe, promise)),
  ]
}

/** `cp` may have a filter, which is called first. */
function copyPatches(): Patch[] {
  const { fs, promises } = filesOwners
  const describe = describePathCall('cp')
  const [sync, later, promise] = [realFiles.cpSync, realFiles.cp, realFilePromises.cp]
  if (sync === undefined || later === undefined || promise === undefined) return []
  return [
    patchFunction(fs, 'cpSync', atOnce('cp', describe, sync, requestedFilter)),
    patchFunction(fs, 'cp', (original) => askingFirst(calledBack('cp', describe, later)(original))),
    patchFunction(promises, 'cp', (original) =>
      askingFirstPromised(asPromise('cp', describe, promise)(original)),
    ),
  ]
}

function folderPatches(): Patch[] {
  const { fs, promises } = filesOwners
  const asked = (...args: unknown[]): Promise<unknown> =>
    new Promise((resolve, reject) =>
      readWholeFolderLater(...args, (error: Error | null, value: unknown) =>
        error === null ? resolve(value) : reject(error),
      ),
    )
  return [
    patchFunction(fs, 'opendirSync', atOnce('opendir', describeOpendir, readWholeFolder)),
    patchFunction(fs, 'opendir', calledBack('opendir', describeOpendir, readWholeFolderLater)),
    patchFunction(promises, 'opendir', asPromise('opendir', describeOpendir, asked)),
  ]
}

function gatheredPatches(): Patch[] {
  const { fs, promises } = filesOwners
  const patches = [
    patchFunction(fs, 'openAsBlob', asPromise('openAsBlob', describeOpenAsBlob, readForBlobLater)),
  ]
  if (realFiles.openAsBlobSync !== undefined)
    patches.push(patchFunction(fs, 'openAsBlobSync', atOnce('openAsBlob', describeOpenAsBlob, readForBlob)))
  const { globSync, glob } = realFiles
  if (globSync === undefined || glob === undefined) return patches
  const iterate = (original: AnyFunction): AnyFunction => {
    const standIn = function (this: unknown, ...args: unknown[]): unknown {
      const session = isOwnFileCall() ? null : activeSession('filesystem')
      if (session === null) return Reflect.apply(original, this, args)
      const list = asPromise('glob', describeGlob, globbed)(() => globbed(...args))
      return eachOf(() => list(...args))
    }
    return standIn
  }
  return [
    ...patches,
    patchFunction(fs, 'globSync', atOnce('glob', describeGlob, globSync)),
    patchFunction(fs, 'glob', calledBack('glob', describeGlob, glob)),
    patchFunction(promises, 'glob', iterate),
  ]
}

async function* eachOf(list: () => Promise<unknown[]>): AsyncGenerator<unknown> {
  yield* await list()
}

function watchPatches(): Patch[] {
  const { fs, promises } = filesOwners
  const patch = (
    owner: object,
    name: string,
    make: (
      session: NonNullable<ReturnType<typeof activeSession>>,
      args: unknown[],
      callee: AnyFunction,
    ) => unknown,
  ): Patch =>
    patchFunction(owner, name, (original) => {
      const standIn = function (this: unknown, ...args: unknown[]): unknown {
        const session = isOwnFileCall() ? null : activeSession('filesystem')
        return (session === null ? null : make(session, args, standIn)) ?? Reflect.apply(original, this, args)
      }
      return standIn
    })
  return [
    patch(fs, 'watch', watchFor),
    patch(fs, 'watchFile', watchFileFor),
    patchFunction(fs, 'unwatchFile', (original) => {
      return function (this: unknown, ...args: unknown[]): unknown {
        const session = activeSession('filesystem')
        return session !== null && unwatchFileFor(session, args)
          ? undefined
          : Reflect.apply(original, this, args)
      }
    }),
    patch(promises, 'watch', (session, args, callee) => {
      const watcher = watchFor(session, args, callee)
      return watcher === null ? null : watchedEvents(watcher, signalOf(args[1]))
    }),
  ]
}

/** `mkdtempDisposable`: a name, and how to remove it. */
function tempPatches(): Patch[] {
  const { fs, promises } = filesOwners
  const describe = describePathCall('mkdtemp')
  const patches: Patch[] = []
  const { mkdtempSync } = realFiles
  const { mkdtemp } = realFilePromises
  if (realFiles.mkdtempDisposableSync !== undefined && mkdtempSync !== undefined) {
    patches.push(
      patchFunction(fs, 'mkdtempDisposableSync', (original) => {
        const plain = atOnce('mkdtemp', describe, mkdtempSync)(() => null)
        return function (this: unknown, ...args: unknown[]): unknown {
          const path: unknown = plain(...args)
          if (path === null) return Reflect.apply(original, this, args)
          const remove = (): void => Reflect.get(fs, 'rmSync')(path, { recursive: true, force: true })
          return { path, remove, [Symbol.dispose]: remove }
        }
      }),
    )
  }
  if (realFilePromises.mkdtempDisposable !== undefined && mkdtemp !== undefined) {
    patches.push(
      patchFunction(promises, 'mkdtempDisposable', (original) => {
        const plain = asPromise('mkdtemp', describe, mkdtemp)(() => null)
        return async function (this: unknown, ...args: unknown[]): Promise<unknown> {
          const path: unknown = await plain(...args)
          if (path === null) return Reflect.apply(original, this, args)
          const remove = async (): Promise<void> =>
            Reflect.get(promises, 'rm')(path, { recursive: true, force: true })
          return { path, remove, [Symbol.asyncDispose]: remove }
        }
      }),
    )
  }
  return patches
}
