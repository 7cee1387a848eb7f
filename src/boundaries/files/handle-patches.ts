/** Functions that take or return a `FileHandle`: those of `fs.promises`, and the streams of `node:fs`. */
import { filesOwners, realFilePromises, realFiles } from '../../real/files.ts'
import { isOwnFileCall } from '../../real/fs.ts'
import { activeSession } from '../context.ts'
import { type AnyFunction, type Patch, patchFunction } from '../patches.ts'
import { FILESYSTEM, promised } from './calls.ts'
import type { Describe } from './described.ts'
import { encodingOf, optionOf } from './described.ts'
import { createFileHandle, handleCall, isStandInHandle } from './file-handle.ts'
import { filesOf, type SessionFiles } from './files-of-session.ts'
import { asPromise } from './flavours.ts'
import { gatheredContent, isGathered } from './gathered-content.ts'
import { pathText } from './portable-paths.ts'
import { handleInOrder, orderedSession, promiseInOrder } from './uncaptured-calls.ts'
import { type LayeredCall, redirected } from './uncaptured-layer.ts'
import { describeReadFile } from './whole-file.ts'
import { isLoaderCall } from './whose-file.ts'

export function handlePatches(descriptions: { readonly [name: string]: Describe }): Patch[] {
  const { fs, promises } = filesOwners
  return [
    patchFunction(promises, 'open', openHandle(descriptions.open)),
    ...modulePatches(),
    ...(['writeFile', 'appendFile'] as const).map((name) =>
      patchFunction(promises, name, writeFile(name, descriptions[name])),
    ),
    patchFunction(fs, 'createReadStream', streamOverHandle('createReadStream')),
    patchFunction(fs, 'createWriteStream', streamOverHandle('createWriteStream')),
  ]
}

/**
 * Also for sessions that do not capture files: the loader reads modules with this function. One patch, which
 * two boundaries may install.
 */
export function modulePatches(): Patch[] {
  return [moduleRead]
}

const moduleRead = patchFunction(filesOwners.promises, 'readFile', readFile(describeReadFile))

function openHandle(describe: Describe | undefined): (original: AnyFunction) => AnyFunction {
  return (original) => {
    const standIn = function (this: unknown, ...args: unknown[]): unknown {
      const session = isOwnFileCall() ? null : activeSession('filesystem')
      const call = session === null ? null : (describe?.(filesOf(session), args, standIn) ?? null)
      if (session === null || call === null) {
        const ordered = session === null ? null : orderedSession(args, standIn)
        const elsewhere = session === null ? null : redirected('later', 'open', args, standIn)
        const onLayer = async (layered: LayeredCall, files: SessionFiles): Promise<unknown> =>
          createFileHandle(files, Number(layered.perform()))
        const open = (): unknown =>
          session !== null && elsewhere?.type === 'layer'
            ? onLayer(elsewhere, filesOf(session))
            : Reflect.apply(original, this, args)
        if (ordered === null) return open()
        return promiseInOrder(ordered, 'promises.open', open).then((handle) => handleInOrder(ordered, handle))
      }
      if (call.output !== undefined) {
        session.gap(
          FILESYSTEM,
          `a handle of ${call.output === 1 ? 'stdout' : 'stderr'}: what is written by it is not seen`,
        )
        return Reflect.apply(original, this, args)
      }
      return promised(session, handleCall(filesOf(session), call), (given, done) => {
        realFiles.open?.(...[...given, undefined, undefined].slice(0, 3), done)
      })
    }
    return standIn
  }
}

function readFile(describe: Describe): (original: AnyFunction) => AnyFunction {
  return (original) => {
    const plain = asPromise('readFile', describe, realFilePromises.readFile ?? original)(original)
    const standIn = function (this: unknown, ...args: unknown[]): unknown {
      const [target, options] = args
      if (isStandInHandle(target)) return target.readFile(options)
      // Up to Node 21 the loader reads modules in the thread pool; answered at once, a module arrives at the
      // same moment in a replay.
      if (isLoadersRead(standIn, target)) return readNow(args)
      return Reflect.apply(plain, this, args)
    }
    return standIn
  }
}

function isLoadersRead(callee: AnyFunction, target: unknown): boolean {
  const path =
    isOwnFileCall() || (activeSession('offthread') ?? activeSession('filesystem')) === null
      ? null
      : pathText(target)
  return path !== null && isLoaderCall(callee, path)
}

async function readNow(args: unknown[]): Promise<unknown> {
  return realFiles.readFileSync?.(...args)
}

function writeFile(
  name: 'writeFile' | 'appendFile',
  describe: Describe = () => null,
): (original: AnyFunction) => AnyFunction {
  return (original) => {
    const plain = asPromise(name, describe, realFilePromises[name] ?? original)(original)
    return function (this: unknown, ...args: unknown[]): unknown {
      const [target, data, options] = args
      if (isStandInHandle(target)) return target[name](data, options)
      const isOurs = !isOwnFileCall() && activeSession('filesystem') !== null && isGathered(data)
      if (isOurs)
        return gatheredContent(data, encodingOf(options)).then((bytes) =>
          Reflect.apply(plain, this, [target, bytes, options]),
        )
      return Reflect.apply(plain, this, args)
    }
  }
}

/** `createReadStream(null, { fd: handle })`. */
function streamOverHandle(
  name: 'createReadStream' | 'createWriteStream',
): (original: AnyFunction) => AnyFunction {
  return (original) =>
    function (this: unknown, ...args: unknown[]): unknown {
      const handle = optionOf(args[1], 'fd')
      return isStandInHandle(handle)
        ? handle[name](args[1] as { readonly [key: string]: unknown })
        : Reflect.apply(original, this, args)
    }
}
